import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { mayReboot, reboot } from "../../../src/main/boot/power.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

/** Puts programs by these scripts in the place of the system's. */
function programs(scripts: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, script] of Object.entries(scripts)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const { PATH = "" } = process.env;
  process.env.PATH = folder;
  onTestFinished(() => {
    process.env.PATH = PATH;
  });
  return folder;
}

it("may not restart a machine that runs no Linux, and says so", async () => {
  expect(await mayReboot("win32")).toBe("a player restarts the machine on Linux only");
});

describe.skipIf(process.platform === "win32")("restarting the machine", () => {
  it("may be done where systemd-logind says yes", async () => {
    programs({ busctl: `echo 's "yes"'` });
    expect(await mayReboot()).toBe(null);
  });

  it.each(["no", "challenge", "na"])("may not be done where it says %s", async (word) => {
    programs({ busctl: `echo 's "${word}"'` });
    expect(await mayReboot()).toContain("spotloop-kiosk has the rule");
  });

  it.each([
    [{ busctl: "echo 'Failed to connect to bus' >&2; exit 1" }, "Failed to connect to bus"],
    [{}, "busctl is not installed"],
  ])("may not be done where it cannot be asked, which is told: %j", async (scripts, why) => {
    programs(scripts);
    expect(await mayReboot()).toBe(`systemd-logind cannot be asked: ${why}`);
  });

  it("is done by systemctl", async () => {
    const folder = programs({ systemctl: `echo "$@" > "\${0%/*}/asked"` });
    reboot();
    const asked = join(folder, "asked");
    await expect.poll(() => existsSync(asked) && readFileSync(asked, "utf8")).toBe("reboot\n");
  });
});
