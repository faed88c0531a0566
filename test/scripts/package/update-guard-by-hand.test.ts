import { readdirSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { onPath } from "../../../scripts/setup/system.ts";
import { kiosk, SHELLS } from "./guarded-kiosk.ts";

/** An entry of apt's preferences that bars a version, as the script writes it. */
function bar(version: string): string {
  return `Package: spotloop spotloop-kiosk\nPin: version ${version}\nPin-Priority: -1\n\n`;
}

describe.skipIf(!onPath("dpkg")).each(SHELLS)("what an operator does to a version on trial, by %s", (shell) => {
  it("judges packages that are held as others, and does not install them again and again", () => {
    const { run, trial, have, tell, lines } = kiosk();
    trial();
    have("1.1.0", "hold");
    tell({});
    expect(run(shell, "watch").state.phase).toBe("proved");
    expect(lines("installed")).toEqual([]);
  });

  it.each(["1.0.0", "1.2.0"])("leaves %s that somebody installs by dpkg in its midst", (version) => {
    const { run, trial, tell, lines } = kiosk({
      turn: `sed -i "s/^Version: .*/Version: ${version}/" $folder/admin/status`,
    });
    trial();
    tell({ proved: 0, expected: 0 });
    expect(run(shell, "watch")).toMatchObject({ code: 0, state: { phase: "by-hand" } });
    expect(lines("installed")).toEqual([]);
  });

  it.each(["trial", "rolling-back", "stuck"])(
    "leaves another version that is there after a start, and was %s",
    (phase) => {
      const { run, trial, have, lines } = kiosk();
      trial({ phase });
      have("1.2.0");
      expect(run(shell, "repair").state.phase).toBe("by-hand");
      expect(lines("installed")).toEqual([]);
    },
  );

  it("completes after a start what a power cut ended before dpkg began, from the version that was there", () => {
    const { run, before, have, keep, lines } = kiosk();
    have("1.0.0");
    before(shell, "1.0.0", "1.1.0");
    expect(run(shell, "repair").state.phase).toBe("trial");
    // A newer one in its midst: it came over the one on trial, and goes back to the one before.
    keep("1.2.0");
    before(shell, "1.1.0", "1.2.0");
    expect(run(shell, "repair").state).toMatchObject({ phase: "trial", from: "1.0.0", to: "1.2.0" });
    expect(lines("installed")).toEqual(["1.1.0", "1.2.0"]);
  });

  it.each(["rolling-back", "stuck"])("goes back from a newer one to what proved, and not to what was %s", (phase) => {
    const { trial, before } = kiosk();
    trial({ phase });
    expect(before(shell, "1.1.0", "1.2.0").state).toMatchObject({ phase: "trial", from: "1.0.0", to: "1.2.0" });
  });

  it.each(["trial", "rolling-back", "stuck"])("is over where somebody has apt go back from one that is %s", (phase) => {
    const { trial, before } = kiosk();
    trial({ phase });
    expect(before(shell, "1.1.0", "0.9.0", { sign: ">" }).state.phase).toBe("by-hand");
  });

  it("bars a version still that is newer than the one that proves, and no older one", () => {
    const { at, run, trial, tell, lines } = kiosk();
    writeFileSync(at("pin"), `${bar("1.0.5")}${bar("1.2.0")}${bar("1.10.0")}`);
    trial();
    tell({});
    expect(run(shell, "watch").state.phase).toBe("proved");
    expect(`${lines("pin").join("\n")}\n`).toBe(`${bar("1.2.0")}${bar("1.10.0")}`.replaceAll("\n\n", "\n"));
  });

  it("keeps nothing, and judges nothing, where the judge is switched off", () => {
    const { at, trial, before } = kiosk();
    writeFileSync(at("enabled"), "masked\n");
    trial();
    expect(before(shell, "1.1.0", "1.2.0")).toMatchObject({ code: 0, state: { phase: "by-hand", to: "1.1.0" } });
    expect(readdirSync(at("state-folder/kept")).sort()).toEqual(["1.0.0", "1.1.0"]);
  });

  it("keeps nothing of a version that it refuses", () => {
    const { at, before } = kiosk();
    expect(before(shell, "0.9.0", "1.2.0")).toMatchObject({ code: 10, said: expect.stringContaining("no way back") });
    expect(readdirSync(at("state-folder/kept")).sort()).toEqual(["1.0.0", "1.1.0"]);
  });

  it("keeps nothing, and judges nothing, where apt only rehearses", () => {
    const { at, have, before, keep } = kiosk();
    have("1.1.0");
    keep("1.1.0");
    const rehearsed = before(shell, "1.1.0", "1.2.0", { configuration: "APT=\nDebug::pkgDPkgPM=1\n" });
    expect(rehearsed).toEqual({ code: 0, said: "", state: {} });
    expect(readdirSync(at("state-folder/kept")).sort()).toEqual(["1.0.0", "1.1.0"]);
    const real = before(shell, "1.1.0", "1.2.0", { configuration: "APT=\nDebug::pkgDPkgPM=0\n" });
    expect(real.state).toMatchObject({ phase: "trial", to: "1.2.0" });
  });
});
