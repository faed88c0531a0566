import { describe, expect, it } from "vitest";
import { runProgram } from "../../src/player/run-program.ts";

describe.skipIf(process.platform === "win32")("a program", () => {
  it("that is not there, or fails, says why in one line", async () => {
    expect(await runProgram("no-such-ctl", [])).toEqual({ kind: "failed", reason: "no-such-ctl is not installed" });
    const failing = ["-c", "echo 'Adapter is unconfigured' >&2; echo more >&2; exit 1"];
    expect(await runProgram("sh", failing)).toEqual({ kind: "failed", reason: "Adapter is unconfigured" });
  });

  it("that gives no answer is ended, and told apart from one that failed", async () => {
    const asked = [runProgram("sleep", ["600"]), runProgram("sh", ["-c", "kill -KILL $$"])];
    expect(await Promise.all(asked)).toEqual([
      { kind: "stuck", reason: "sleep gave no answer within 10 s" },
      { kind: "failed", reason: "SIGKILL" },
    ]);
  });

  it("that says more than it should has failed", async () => {
    expect(await runProgram("yes", [])).toMatchObject({ kind: "failed" });
  });

  it("is put behind what plays, not to the end", async () => {
    // It is put there once it runs, so the script waits for that; it is killed where that never comes.
    const script = 'while [ "$(nice)" != 10 ]; do :; done; nice';
    expect(await runProgram("sh", ["-c", script])).toEqual({ kind: "ran", output: "10\n" });
  });
});
