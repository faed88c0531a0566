import { describe, expect, it } from "vitest";
import { run } from "../../../scripts/setup/run.mjs";

const signal = new AbortController().signal;
const node = (code: string, options = {}) => run(process.execPath, ["--eval", code], { signal, ...options });

describe("a tool that is run", () => {
  it("is ok when it ends with 0", async () => {
    expect((await node("")).ok).toBe(true);
  });

  it("leaves what it said first and last, for its complaint may be in either place", async () => {
    const { ok, said } = await node("for (let n = 1; n <= 200; n++) console.error(n); process.exitCode = 1");
    expect(ok).toBe(false);
    expect(said.split("\n").slice(0, 3)).toEqual(["1", "2", "3"]);
    expect(said).toContain("…");
    expect(said.split("\n").at(-1)).toBe("200");
    expect(said.split("\n").length).toBeLessThan(30);
  });

  it("is told of by its exit code when it said nothing", async () => {
    expect((await node("process.exit(3)")).said).toContain("ended with 3");
  });

  it("that does not exist is a failure like any other", async () => {
    const { ok, said } = await run("no-such-tool-anywhere", [], { signal });
    expect(ok).toBe(false);
    expect(said).toContain("no-such-tool-anywhere");
  });

  it("keeps to itself the lines that its listener turns down", async () => {
    const heard: string[] = [];
    const hear = (line: string) => heard.push(line) > 1;
    const { said } = await node("console.log('progress'); console.log('trouble'); process.exitCode = 1", { hear });
    expect(heard).toEqual(["progress", "trouble"]);
    expect(said).toBe("trouble");
  });

  it("is stopped by its signal, and then rejects", async () => {
    const stopping = new AbortController();
    const running = run(process.execPath, ["--eval", "setInterval(() => {}, 1000); console.log('up')"], {
      signal: stopping.signal,
      hear: () => stopping.abort(new Error("stopped")),
    });
    await expect(running).rejects.toThrow("stopped");
  });
});
