import { readdir, readFile, statfs } from "node:fs/promises";
import { join } from "node:path";

/** What is known of the disk that the data folder is on; null is what cannot be read, and never a guess. */
export interface DiskVitals {
  /** Of its file system, for those who are not root. */
  readonly freeBytes: number | null;
  readonly sizeBytes: number | null;
  /** The share of its life that the most worn eMMC of the machine has used, up to this; more than 1 is past its end. */
  readonly wornRatio: number | null;
}

/** Reads a few small files, and asks the system for one figure of its own. */
export async function diskVitals(folder: string, devices = "/sys/block"): Promise<DiskVitals> {
  const room = await statfs(folder).catch(() => null);
  return {
    freeBytes: room === null ? null : room.bavail * room.bsize,
    sizeBytes: room === null ? null : room.blocks * room.bsize,
    wornRatio: await wornRatio(devices),
  };
}

async function wornRatio(devices: string): Promise<number | null> {
  const names = await readdir(devices).catch(() => []);
  const texts = await Promise.all(
    names.map((name) => readFile(join(devices, name, "device", "life_time"), "utf8").catch(() => "")),
  );
  const tenths = texts.flatMap((text) => text.trim().split(/\s+/).map(Number)).filter(isEstimate);
  return tenths.length === 0 ? null : Math.max(...tenths) / 10;
}

/**
 * JEDEC JESD84-B51, DEVICE_LIFE_TIME_EST_TYP_A and _B: 1 for up to a tenth of the estimated life, 11 for all of it and
 * more; 0 is not defined, and the rest reserved.
 */
function isEstimate(tenths: number): boolean {
  return Number.isInteger(tenths) && tenths >= 1 && tenths <= 11;
}
