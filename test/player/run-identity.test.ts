import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bootIdIn, countStart, SAME_BOOT_WITHIN_MS } from "../../src/player/run-identity.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

const MINUTE = 60_000;
const START = Date.UTC(2026, 2, 29);
const first = { wall: START, uptimeMs: 2 * MINUTE };
const fileIn = (folder: string) => join(folder, "deep", "boot.json");

/** Whether two runs of the player are taken to be of one boot. */
function isSameBoot(one: typeof first, other: typeof first): boolean {
  const path = fileIn(temporaryFolder());
  return bootIdIn(path, one) === bootIdIn(path, other);
}

describe("the name of a boot that the system does not name", () => {
  it("stays the same from run to run, so that starts are counted", () => {
    const folder = temporaryFolder();
    const starts = [0, MINUTE, 30 * MINUTE].map((laterMs) => {
      const reading = { wall: first.wall + laterMs, uptimeMs: first.uptimeMs + laterMs };
      return countStart(join(folder, "starts.json"), bootIdIn(fileIn(folder), reading));
    });
    expect(starts).toEqual([1, 2, 3]);
  });

  it("is another after the machine started again, however soon", () => {
    expect(isSameBoot(first, { wall: START + 3 * MINUTE, uptimeMs: MINUTE })).toBe(false);
    expect(isSameBoot(first, { wall: START + 60 * MINUTE, uptimeMs: 3 * MINUTE })).toBe(false);
  });

  it("is another where the machine is up for less time, though its wall clock begins at the same time", () => {
    expect(isSameBoot(first, { wall: START - MINUTE, uptimeMs: MINUTE })).toBe(false);
  });

  it("bears a wall clock that is put right by a little, again and again, and not one that jumps", () => {
    const path = fileIn(temporaryFolder());
    const names = [0, 1, 2, 3].map((turn) => {
      const laterMs = turn * MINUTE;
      const correctedMs = turn * (SAME_BOOT_WITHIN_MS - 1);
      return bootIdIn(path, { wall: first.wall + laterMs + correctedMs, uptimeMs: first.uptimeMs + laterMs });
    });
    expect(new Set(names).size).toBe(1);
    expect(isSameBoot(first, { wall: START + 2 * MINUTE, uptimeMs: first.uptimeMs + MINUTE })).toBe(false);
  });

  it("is new for each run where it cannot be kept", () => {
    const path = join(temporaryFolder(), "boot.json");
    mkdirSync(path);
    expect(bootIdIn(path, first)).not.toBe(bootIdIn(path, first));
  });
});
