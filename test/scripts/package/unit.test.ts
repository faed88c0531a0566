import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { onPath } from "../../../scripts/setup/system.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const ASSETS = join(import.meta.dirname, "..", "..", "..", "assets");
const unit = readFileSync(join(ASSETS, "spotloop.service"), "utf8");

/** The value of a setting; each is there once. */
function setting(name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1];
}

/** Asks `systemd-analyze` about the unit as the packages install it, drop-in included. */
function analyze(...args: readonly string[]): { readonly code: number | null; readonly said: string } {
  const root = temporaryFolder();
  const units = join(root, "usr", "lib", "systemd", "system");
  mkdirSync(join(units, "spotloop.service.d"), { recursive: true });
  cpSync(join(ASSETS, "spotloop.service"), join(units, "spotloop.service"));
  cpSync(join(ASSETS, "kiosk", "harden.conf"), join(units, "spotloop.service.d", "50-harden.conf"));
  const { status, stdout, stderr } = spawnSync("systemd-analyze", [...args, `--root=${root}`, "spotloop.service"], {
    encoding: "utf8",
  });
  return { code: status, said: `${stdout}${stderr}` };
}

describe("the player's unit", () => {
  it("is started by the first picture, and hears the process that tells of it", () => {
    expect([setting("Type"), setting("NotifyAccess"), setting("PAMName")]).toEqual(["notify", "all", undefined]);
  });

  it("keeps what the player writes to its own user", () => {
    expect(setting("UMask")).toBe("0077");
  });

  it("gives the start longer than the player itself waits for a display", () => {
    const longestWaitSeconds = 60;
    expect(Number(setting("TimeoutStartSec"))).toBeGreaterThan(longestWaitSeconds + Number(setting("WatchdogSec")));
  });

  const lacks = onPath("systemd-analyze") ? "" : " (systemd-analyze is not installed)";

  it.skipIf(lacks !== "")(`is below 5 of 10 in systemd's own measure of exposure, hardened${lacks}`, () => {
    const { code, said } = analyze("security", "--offline=true", "--threshold=50", "--no-pager");
    expect(said).toMatch(/Overall exposure level for spotloop\.service: [0-4]\.\d/);
    expect(code).toBe(0);
  });

  const cannotEnable = onPath("systemctl") ? "" : " (systemctl is not installed)";

  it.skipIf(cannotEnable !== "")(
    `is started with its display by a machine that boots without a desktop, too${cannotEnable}`,
    () => {
      const root = temporaryFolder();
      const units = join(root, "usr", "lib", "systemd", "system");
      const names = ["spotloop.service", "spotloop-display.service", "spotloop-wayland.service"];
      mkdirSync(units, { recursive: true });
      cpSync(join(ASSETS, "spotloop.service"), join(units, "spotloop.service"));
      for (const name of names.slice(1)) cpSync(join(ASSETS, "kiosk", name), join(units, name));
      spawnSync("systemctl", [`--root=${root}`, "enable", ...names]);
      expect(readdirSync(join(root, "etc", "systemd", "system", "multi-user.target.wants")).sort()).toEqual(
        names.sort(),
      );
    },
  );
});
