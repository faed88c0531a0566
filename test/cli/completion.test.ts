import { execFile } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";
import { spotloopWith } from "./vendor/spotloop.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));

/** A folder with this checkout's `spotloop` in it. */
function folderWithSpotloop(): string {
  const folder = temporaryFolder();
  const program = join(folder, "spotloop");
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`);
  chmodSync(program, 0o755);
  return folder;
}

describe("spotloop completion", () => {
  it.each([
    [["lo"], ["locations"]],
    [
      ["locations", ""],
      ["create", "get", "update", "submit", "apply"],
    ],
    [
      ["screens", "create", "--lo"],
      ["--location", "--loop"],
    ],
    [["screens", "create", "--location", "x", "--am"], ["--amount"]],
    [["locations", "apply", ""], []],
    [["locations", "create", "--from", ""], []],
    [["completion", "z"], ["zsh"]],
    [["emulator", "faults", "cl"], ["clear"]],
    [["none", "--j"], []],
    [["screens", "get", "s1", "--he"], ["--help"]],
  ])("offers after %j %j", async (words, offered) => {
    const { code, stdout } = await spotloopWith({})(["complete", "--", ...words]);

    expect([code, stdout.split("\n").filter((word) => word !== "")]).toEqual([0, offered]);
  });

  it.runIf(existsSync("/bin/bash"))("works in bash", async () => {
    const folder = folderWithSpotloop();
    const script = [
      "source <(spotloop completion bash)",
      "COMP_WORDS=(spotloop screens m) COMP_CWORD=2",
      "_spotloop",
      "echo $COMPREPLY",
    ].join("\n");

    const env = { PATH: `${folder}:${process.env.PATH}` };
    const { stdout } = await promisify(execFile)("/bin/bash", ["--norc", "-c", script], { env });

    expect(stdout).toBe("move\n");
  });

  it.runIf(existsSync("/bin/zsh"))("works in a zsh whose own start sets up no completion", async () => {
    const folder = folderWithSpotloop();
    const script = "source <(spotloop completion zsh); print $_comps[spotloop]";

    const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder };
    const ran = await promisify(execFile)("/bin/zsh", ["-f", "-c", script], { env });

    expect(ran).toEqual({ stdout: "_spotloop\n", stderr: "" });
  });

  it.runIf(existsSync("/usr/bin/fish"))("works in fish", async () => {
    const folder = folderWithSpotloop();
    const script = 'spotloop completion fish | source; complete -C "spotloop screens m"';

    const env = { PATH: `${folder}:${process.env.PATH}`, HOME: folder };
    const { stdout } = await promisify(execFile)("/usr/bin/fish", ["--no-config", "-c", script], { env, cwd: folder });

    expect(stdout).toBe("move\n");
  });

  it.each(["zsh", "fish"])("prints a script for %s", async (shell) => {
    const { code, stdout } = await spotloopWith({})(["completion", shell]);

    expect(code).toBe(0);
    expect(stdout).toContain("spotloop complete -- ");
  });

  it("knows no other shell", async () => {
    const { code, stderr } = await spotloopWith({})(["completion", "tcsh"]);

    expect(code).toBe(64);
    expect(stderr).toContain("Allowed choices are bash, zsh, fish.");
  });
});
