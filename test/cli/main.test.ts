import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { runCli } from "../../src/cli/main.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

describe("the command line", () => {
  it.each(["constructor", "toString", "__proto__", "nothing"])("knows no command called %s", async (name) => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    const code = await runCli([name]).finally(() => write.mockRestore());

    expect(code).toBe(64);
  });
});

it.skipIf(process.platform === "win32")("a command says so where the folder that it was started in was removed", () => {
  const gone = join(temporaryFolder(), "gone");
  const command = 'mkdir "$2"; cd "$2"; rmdir "$2"; exec "$0" "$1" proofs list --data-dir data';
  const args = ["-c", command, process.execPath, join(ROOT, "src/cli/main.ts"), gone];
  const { status, stderr } = spawnSync("bash", args, { encoding: "utf8" });
  expect([status, stderr]).toEqual([1, "the folder that this command was started in is not there any more\n"]);
});

describe.skipIf(process.platform === "win32")("the output of a command", () => {
  const printed = (redirection: string) => {
    const command = `set -o pipefail; "$0" "$1" completion bash ${redirection}`;
    const { status, stderr } = spawnSync("bash", ["-c", command, process.execPath, join(ROOT, "src/cli/main.ts")]);
    return [status, stderr.toString()];
  };

  it("may be read in part, or not at all", () => {
    expect(printed("| true")).toEqual([0, ""]);
  });

  it.skipIf(process.platform !== "linux")("is told not to have been written where the disk is full", () => {
    expect(printed("> /dev/full")).toEqual([1, "standard output cannot be written (ENOSPC)\n"]);
  });
});
