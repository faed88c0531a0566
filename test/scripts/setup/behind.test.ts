import { describe, expect, it } from "vitest";
import { canRunBehind, runBehind } from "../../../scripts/setup/behind.ts";

const run = (script: string, signal = new AbortController().signal) => runBehind("sh", ["-c", script], { signal });

describe.skipIf(!canRunBehind())("a command that runs behind others", () => {
  it("has the least share of the processors, and all that it says is kept", async () => {
    const { code, said } = await run(
      'sleep 0.3; cat /proc/self/autogroup; echo "behind: $TESTS_RUN_BEHIND" >&2; exit 3',
    );
    expect(code).toBe(3);
    expect(said).toMatch(/nice 19\nbehind: 1\n$/);
  });

  it("ends with all that it started when it is called off", async () => {
    // It has not ended before whatever holds its output has.
    expect((await run("sleep 60 & wait", AbortSignal.timeout(500))).code).toBe(143);
  }, 10_000);

  it("is said not to be there by the error of its start", async () => {
    const { signal } = new AbortController();
    await expect(runBehind("no-such-command", [], { signal })).rejects.toThrow("ENOENT");
  });
});
