import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { diskFindings } from "../../src/cli/doctor/disk-checks.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../support/machine/small-disk.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

const MIB = 1024 ** 2;
const cache = { maxBytes: 8 * MIB, minFreeBytes: MIB, maxItemBytes: MIB };

/** What doctor says of a data folder, by the names of what was looked at. */
async function found(dataDir: string): Promise<Readonly<Record<string, string>>> {
  const findings = await diskFindings({ dataDir, cache });
  return Object.fromEntries(findings.map(({ name, verdict, text }) => [name, `${verdict}: ${text}`]));
}

describe("spotloop doctor", () => {
  it("says that a data folder is a file, or would be below one, and looks at the rest", async () => {
    const file = join(temporaryFolder(), "data");
    writeFileSync(file, "");

    const there = await found(file);
    expect(there["data folder"]).toBe(`failed: ${file} is a file`);
    expect(there.sqlite).toMatch(/^ok: SQLite/);
    expect(there).not.toHaveProperty("write speed");
    const below = join(file, "more");
    expect((await found(below))["data folder"]).toBe(`failed: ${below} cannot be made: ${file} is a file`);
  });

  it("says that a data folder is behind a link to what is not there, as of a disk that was not mounted", async () => {
    const link = join(temporaryFolder(), "data");
    symlinkSync(join(link, "..", "no-disk", "data"), link);

    const there = await found(link);
    expect(there["data folder"]).toBe(`failed: ${link} cannot be made: ${link} is a link to what is not there`);
    expect(Object.keys(there)).toEqual(["data folder", "sqlite"]);
    const below = join(link, "more");
    expect((await found(below))["data folder"]).toBe(
      `failed: ${below} cannot be made: ${link} is a link to what is not there`,
    );
  });

  it("says why a data folder cannot be reached, and looks at the rest", async () => {
    const long = join(temporaryFolder(), "d".repeat(300));

    const there = await found(long);
    expect(there["data folder"]).toBe(`failed: ${long} cannot be reached (ENAMETOOLONG)`);
    expect(there.sqlite).toMatch(/^ok: SQLite/);
  });

  it("says that temporary files cannot be made, and looks at the rest", async () => {
    const folder = temporaryFolder();
    const gone = join(folder, "gone");
    vi.stubEnv("TMPDIR", gone);
    onTestFinished(() => void vi.unstubAllEnvs());

    const here = await found(folder);
    expect(here["temporary files"]).toBe(`warning: none can be made in ${gone} (ENOENT)`);
    expect(here.sqlite).toMatch(/^ok: SQLite/);
  });

  it.skipIf(!HAS_SMALL_DISKS)("says what cannot be done on a disk that is full, and leaves nothing there", async () => {
    const disk = smallDisk(MIB, 4);
    const files = ["a", "b", "c"].map((name) => join(disk.path, name));
    for (const file of files) writeFileSync(file, "");

    const noFiles = await found(disk.path);
    expect(noFiles.disk).toMatch(/^failed: .* GiB free, but it takes no more files$/);
    expect(noFiles["write speed"]).toBe("failed: nothing can be written (ENOSPC)");
    expect(noFiles.sqlite).toMatch(/^failed: a database cannot be opened \(ENOSPC\)/);
    expect(readdirSync(disk.path)).toEqual(["a", "b", "c"]);

    const small = smallDisk(MIB).path;
    expect((await found(small))["write speed"]).toBe("failed: nothing can be written (ENOSPC)");
    expect(readdirSync(small)).toEqual([]);
  });

  it.skipIf(!HAS_SMALL_DISKS)(
    "fails where the disk is mounted read-only, and does not tell another's speed",
    async () => {
      const disk = smallDisk(32 * MIB);
      const dataDir = join(disk.path, "data");
      mkdirSync(dataDir);
      disk.readOnly(true);

      for (const folder of [dataDir, join(disk.path, "new")]) {
        const here = await found(folder);
        expect(here["data folder"]).toBe(`failed: ${folder} is on a disk that is mounted read-only`);
        expect(here).not.toHaveProperty("write speed");
      }
    },
  );
});
