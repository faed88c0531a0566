import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diskVitals } from "../../../src/player/health/metric-sources.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

/** A folder as `/sys/block` is, of devices by what their `life_time` says. */
function devices(lifeTimes: Readonly<Record<string, string | null>>): string {
  const folder = temporaryFolder();
  for (const [name, lifeTime] of Object.entries(lifeTimes)) {
    mkdirSync(join(folder, name, "device"), { recursive: true });
    if (lifeTime !== null) writeFileSync(join(folder, name, "device", "life_time"), lifeTime);
  }
  return folder;
}

describe("the vitals of a disk", () => {
  it("tell how much there is and is free", async () => {
    const { freeBytes, sizeBytes } = await diskVitals(temporaryFolder());
    expect(freeBytes).toBeGreaterThan(0);
    expect(sizeBytes).toBeGreaterThanOrEqual(freeBytes ?? 0);
  });

  it.each([
    ["0x01 0x02\n", 0.2],
    ["0x0A 0x01\n", 1],
    ["0x0b 0x03\n", 1.1],
    // Not defined, and reserved.
    ["0x00 0x03\n", 0.3],
    ["0x00 0x00\n", null],
    ["0x0c 0xff\n", null],
    ["\n", null],
    ["worn", null],
  ])("take a life_time of %j for %s", async (lifeTime, wornRatio) => {
    const folder = devices({ sda: null, mmcblk0: lifeTime, mmcblk0boot0: null });
    expect((await diskVitals("/", folder)).wornRatio).toBe(wornRatio);
  });

  it("are those of the most worn of several", async () => {
    const folder = devices({ mmcblk0: "0x01 0x01", mmcblk1: "0x05 0x04" });
    expect((await diskVitals("/", folder)).wornRatio).toBe(0.5);
  });

  it("are unknown, and nothing worse, where nothing can be read", async () => {
    const missing = join(temporaryFolder(), "not", "there");
    expect(await diskVitals(missing, missing)).toEqual({ freeBytes: null, sizeBytes: null, wornRatio: null });
  });
});
