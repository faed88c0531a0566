import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const SCRIPT = join(import.meta.dirname, "..", "..", "..", "assets", "linux", "await-display.sh");

/** Runs the script where X answers from its nth question on, and where waiting takes no time. */
function awaitDisplay(display: string, answersFrom: number): { code: number | null; waited: number; said: string } {
  const folder = temporaryFolder();
  const program = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  program("xset", `echo x >> ${folder}/asked; [ "$(wc -l < ${folder}/asked)" -ge ${answersFrom} ]`);
  program("sleep", `echo x >> ${folder}/waited`);
  const env = { PATH: `${folder}:${process.env.PATH}`, DISPLAY: display };
  const { status, stderr } = spawnSync("sh", [SCRIPT], { env, encoding: "utf8" });
  const waits = join(folder, "waited");
  const waited = existsSync(waits) ? readFileSync(waits, "utf8").trim().split("\n").length : 0;
  return { code: status, waited, said: stderr };
}

describe("the wait for a display", () => {
  it("is over as soon as the X server answers", () => {
    expect(awaitDisplay(":0", 1)).toEqual({ code: 0, waited: 0, said: "" });
    expect(awaitDisplay(":0", 4)).toEqual({ code: 0, waited: 3, said: "" });
  });

  it("ends after a minute, naming the display", () => {
    const { code, waited, said } = awaitDisplay(":7", 1_000);
    expect([code, waited]).toEqual([1, 59]);
    expect(said).toContain(":7");
  });

  it.each(["", "elsewhere:0"])("is not for %j", (display) => {
    expect(awaitDisplay(display, 1_000)).toMatchObject({ code: 0, waited: 0 });
  });
});
