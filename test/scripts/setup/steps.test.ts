import { describe, expect, it } from "vitest";
import { megabytes, steps } from "../../../scripts/setup/steps.mjs";

function recording(isTTY: boolean, env: Record<string, string> = {}) {
  const said: string[] = [];
  let ms = 0;
  const say = steps({ isTTY, write: (text) => said.push(text) }, env, () => ms);
  return { say, said, wait: (more: number) => (ms += more) };
}

describe("a step", () => {
  it("rewrites its one line on a terminal", () => {
    const { say, said, wait } = recording(true, { NO_COLOR: "1" });
    const step = say.begin("Fetching");
    step.progress("1 of 3 MB");
    step.progress("2 of 3 MB");
    wait(1_500);
    step.done();
    const clear = "\r\x1b[2K";
    expect(said.join("")).toBe(
      `Fetching …${clear}Fetching … 1 of 3 MB${clear}Fetching … 2 of 3 MB${clear}Fetching: done (1.5 s)\n`,
    );
  });

  it("is dim on a terminal, and without any colour when NO_COLOR is set", () => {
    const coloured = recording(true);
    coloured.say.begin("Fetching").progress("1 MB");
    expect(coloured.said.join("")).toContain("\x1b[2m1 MB\x1b[22m");
    const plain = recording(true, { NO_COLOR: "1" });
    plain.say.begin("Fetching").progress("1 MB");
    expect(plain.said.join("")).not.toContain("\x1b[2m");
  });

  it("fills a log with a line every few seconds only", () => {
    const { say, said, wait } = recording(false);
    const step = say.begin("Building");
    for (let second = 0; second < 11; second++) {
      step.progress(`${second} s`);
      wait(1_000);
    }
    step.done("ready");
    expect(said).toEqual(["Building …\n", "Building … 5 s\n", "Building … 10 s\n", "Building: ready (11.0 s)\n"]);
  });

  it("counts downloads in megabytes", () => {
    expect(megabytes(196_264_810)).toBe("196 MB");
  });
});
