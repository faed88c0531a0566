import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { unzip } from "../../../scripts/setup/unzip.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const { signal } = new AbortController();

describe("unpacking an archive", () => {
  it("puts files where the target says, with their permissions, and leaves out the rest", async () => {
    const folder = temporaryFolder();
    writeFileSync(
      join(folder, "a.zip"),
      zip({ "App/App": "#!", "App/locales/en.pak": "en", "App/resources/app.js": "js" }),
    );
    const target = (name: string) =>
      name.includes("resources") ? null : name.replace("App/", "").replace("App", "electron");
    let bytes = 0;
    await unzip(join(folder, "a.zip"), join(folder, "out"), target, (now) => (bytes = now), signal);
    expect(readdirSync(join(folder, "out"), { recursive: true }).sort()).toEqual([
      "electron",
      "locales",
      "locales/en.pak",
    ]);
    expect(readFileSync(join(folder, "out", "locales", "en.pak"), "utf8")).toBe("en");
    expect(statSync(join(folder, "out", "electron")).mode & 0o100).toBe(0o100);
    expect(bytes).toBe(4);
  });

  it("refuses names that lead out of the folder", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "a.zip"), zip({ "../evil": "!" }));
    await expect(
      unzip(
        join(folder, "a.zip"),
        join(folder, "out"),
        (name) => name,
        () => {},
        signal,
      ),
    ).rejects.toThrow("invalid relative path");
  });
});

/** A ZIP archive with stored, executable files (APPNOTE.TXT 4.3). */
function zip(files: Readonly<Record<string, string>>): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  for (const [name, text] of Object.entries(files)) {
    const offset = Buffer.concat(locals).length;
    const sizes = Buffer.alloc(18);
    sizes.writeUInt32LE(crc32(text), 4);
    sizes.writeUInt32LE(text.length, 8);
    sizes.writeUInt32LE(text.length, 12);
    sizes.writeUInt16LE(name.length, 16);
    locals.push(Buffer.from("PK\x03\x04\x14\0\0\0\0\0"), sizes, Buffer.alloc(2), Buffer.from(name + text));
    const rest = Buffer.alloc(16);
    rest.writeUInt32LE(0o755 * 0x10000, 8);
    rest.writeUInt32LE(offset, 12);
    central.push(Buffer.from("PK\x01\x02\x14\x03\x14\0\0\0\0\0"), sizes, rest, Buffer.from(name));
  }
  const end = Buffer.alloc(14);
  end.writeUInt16LE(Object.keys(files).length, 0);
  end.writeUInt16LE(Object.keys(files).length, 2);
  end.writeUInt32LE(Buffer.concat(central).length, 4);
  end.writeUInt32LE(Buffer.concat(locals).length, 8);
  return Buffer.concat([...locals, ...central, Buffer.from("PK\x05\x06\0\0\0\0"), end]);
}
