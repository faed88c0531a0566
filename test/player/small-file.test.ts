import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readSmallFile, removeSmallFile, writeSmallFile } from "../../src/player/small-file.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../support/machine/small-disk.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

const KIB = 1024;
const schema = z.object({ text: z.string() });
const long = { text: "x".repeat(64 * KIB) };

describe("a small file", () => {
  it("is written whole, for its owner unless others are to read it, and removed", () => {
    const folder = temporaryFolder();
    const [own, open] = [join(folder, "own.json"), join(folder, "open.json")];
    expect([writeSmallFile(own, long), writeSmallFile(open, long, 0o644)]).toEqual([true, true]);
    expect(readSmallFile(own, schema)).toEqual(long);
    expect([own, open].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o644]);
    expect([removeSmallFile(own), removeSmallFile(own), readSmallFile(own, schema)]).toEqual([true, true, null]);
  });

  it("is not written where there is no folder for it, and ends nothing", () => {
    expect(writeSmallFile(join(temporaryFolder(), "none", "a.json"), long)).toBe(false);
  });

  it.skipIf(!HAS_SMALL_DISKS)("stays as it was on a full disk, and leaves nothing half written", () => {
    const disk = smallDisk(256 * KIB);
    const path = join(disk.path, "a.json");
    expect(writeSmallFile(path, { text: "before" })).toBe(true);
    const free = disk.fill(16 * KIB);
    expect(writeSmallFile(path, long)).toBe(false);
    expect(readSmallFile(path, schema)).toEqual({ text: "before" });
    expect(readdirSync(disk.path).sort()).toEqual(["a.json", "filler"]);
    free();
    expect(writeSmallFile(path, long)).toBe(true);
    expect(readSmallFile(path, schema)).toEqual(long);
  });

  it.skipIf(!HAS_SMALL_DISKS)("is neither written nor removed on a disk that is read-only, and ends nothing", () => {
    const disk = smallDisk(256 * KIB);
    const path = join(disk.path, "a.json");
    writeSmallFile(path, { text: "before" });
    disk.readOnly(true);
    expect([writeSmallFile(path, long), removeSmallFile(path)]).toEqual([false, false]);
    expect(readSmallFile(path, schema)).toEqual({ text: "before" });
  });
});
