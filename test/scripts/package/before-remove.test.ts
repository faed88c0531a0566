import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { onPath } from "../../../scripts/setup/system.ts";
import { goesOn } from "../../support/machine/proc.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const SCRIPT = join(import.meta.dirname, "..", "..", "..", "assets", "linux", "before-remove.sh");

/** A machine's folder with a program that stands for the player, and the script that looks for it there. */
function machine() {
  const folder = temporaryFolder();
  const player = join(folder, "spotloop");
  const put = () => {
    copyFileSync("/bin/sleep", `${player}.dpkg-new`);
    renameSync(`${player}.dpkg-new`, player);
  };
  put();
  writeFileSync(join(folder, "prerm"), readFileSync(SCRIPT, "utf8").replaceAll("/opt/Spotloop/spotloop", player));
  // Nothing is asked of the systemd of the machine that runs this.
  writeFileSync(join(folder, "systemctl"), "#!/bin/sh\n", { mode: 0o755 });
  return {
    player,
    /** As dpkg does at an upgrade. */
    replace: put,
    remove: (step: string) =>
      spawnSync("sh", [join(folder, "prerm"), step], {
        env: { PATH: `${folder}:${process.env.PATH}` },
        encoding: "utf8",
      }),
  };
}

async function started(program: string): Promise<ChildProcess> {
  const child = spawn(program, ["600"]);
  onTestFinished(() => void child.kill("SIGKILL"));
  await once(child, "spawn");
  return child;
}

/** The signal that ended it; null while it runs. */
async function ending(child: ChildProcess): Promise<string | null> {
  if (goesOn(child.pid ?? 0)) return null;
  if (child.signalCode === null) await once(child, "exit");
  return child.signalCode;
}

describe.skipIf(process.platform !== "linux" || !onPath("dpkg"))("the package's removal", () => {
  it("ends a player that was started by hand, before an upgrade or after it", async () => {
    const { player, replace, remove } = machine();
    const before = await started(player);
    replace();
    const after = await started(player);
    expect(remove("remove")).toMatchObject({ status: 0, stderr: "" });
    expect([await ending(before), await ending(after)]).toEqual(["SIGTERM", "SIGTERM"]);
  });

  it.each(["upgrade", "deconfigure"])(
    "leaves the player running at %s, and at its removal every other program",
    async (step) => {
      const { player, remove } = machine();
      const [mine, other] = [await started(player), await started("/bin/sleep")];
      remove(step);
      expect(await ending(mine)).toBe(null);
      remove("remove");
      expect([await ending(mine), await ending(other)]).toEqual(["SIGTERM", null]);
    },
  );
});
