import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { panelFindings } from "../../src/cli/doctor/machine-checks.ts";
import type { Ran } from "../../src/player/run-program.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

/** What doctor says of a machine with two displays, the first of which says this by DDC/CI. */
async function found(mode: string, dpms = "On"): Promise<readonly string[]> {
  const folder = temporaryFolder();
  const connector = (name: string, status: string, bus: string) => {
    mkdirSync(join(folder, name, bus), { recursive: true });
    const files = { status, dpms, enabled: status === "connected" ? "enabled" : "disabled" };
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, file), `${text}\n`);
  };
  connector("card0-HDMI-A-1", "connected", "i2c-4");
  connector("card0-HDMI-A-2", "connected", "i2c-5");
  connector("card0-DP-1", "disconnected", "i2c-6");
  const run = async (program: string, args: readonly string[]): Promise<Ran> => {
    const output = program === "ddcutil" && args.includes("4") ? mode : null;
    return output === null ? { kind: "failed", reason: "no answer" } : { kind: "ran", output };
  };
  const findings = await panelFindings({}, { run, drmFolder: folder, cecFolder: temporaryFolder() });
  return findings.map(({ verdict, text }) => `${verdict}: ${text}`).sort();
}

const UNTOLD = "ok: HDMI-A-2 unknown: neither CEC (cec-ctl) nor DDC/CI (ddcutil) tells";

describe("spotloop doctor", () => {
  it("says of each display that is connected whether it is on, and who says so", async () => {
    expect(await found("VCP D6 SNC x01\n")).toEqual(["ok: HDMI-A-1 on: ddc says power mode x01", UNTOLD]);
    expect(await found("VCP D6 ERR\n")).toEqual([UNTOLD.replace("A-2", "A-1"), UNTOLD]);
  });

  it("warns of one that is off", async () => {
    expect(await found("VCP D6 SNC x04\n")).toEqual([UNTOLD, "warning: HDMI-A-1 off: ddc says power mode x04"]);
    expect(await found("VCP D6 SNC x01\n", "Off")).toEqual([
      ...["warning: HDMI-A-1 off: drm says dpms Off", "warning: HDMI-A-2 off: drm says dpms Off"],
    ]);
  });

  it("says so where the kernel tells of no display", async () => {
    const [finding, ...others] = await panelFindings({}, { drmFolder: temporaryFolder() });
    expect([finding?.text, others]).toEqual(["unknown: the kernel tells of no display that is connected", []]);
  });
});
