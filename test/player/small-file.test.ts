import { spawn } from "node:child_process";
import { once } from "node:events";
import { type PathLike, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  readSmallFile,
  readTextFile,
  removeSmallFile,
  replaceFile,
  writeSmallFile,
} from "../../src/player/small-file.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../support/machine/small-disk.ts";
import { isPrivate, temporaryFolder } from "../support/machine/temporary-folder.ts";

const KIB = 1024;
const schema = z.object({ text: z.string() });
const long = { text: "x".repeat(64 * KIB) };

/** A system that refuses so many times to rename, by this code; and how often it was asked. */
function refusing(times: number, code: string) {
  const asked: number[] = [];
  const rename = (from: PathLike, to: PathLike) => {
    asked.push(asked.length);
    if (asked.length <= times) throw Object.assign(new Error(code), { code });
    renameSync(from, to);
  };
  return { asked, rename };
}

describe("a file that takes another's place", () => {
  const files = () => {
    const folder = temporaryFolder();
    const [from, to] = [join(folder, "a.json.new"), join(folder, "a.json")];
    writeFileSync(from, "after");
    writeFileSync(to, "before");
    return [from, to] as const;
  };

  it.each(["EPERM", "EBUSY", "EACCES"])(
    "is tried again on Windows while somebody has one of them open (%s)",
    (code) => {
      const [from, to] = files();
      const { asked, rename } = refusing(3, code);
      replaceFile(from, to, "win32", rename);
      expect([readFileSync(to, "utf8"), asked.length]).toEqual(["after", 4]);
    },
  );

  it("is given up in the end, and both files stay as they were", () => {
    const [from, to] = files();
    const { rename } = refusing(Number.POSITIVE_INFINITY, "EBUSY");
    expect(() => replaceFile(from, to, "win32", rename)).toThrow("EBUSY");
    expect([from, to].map((path) => readFileSync(path, "utf8"))).toEqual(["after", "before"]);
  });

  it.each([
    ["win32", "ENOSPC"],
    ["linux", "EACCES"],
  ] as const)("is not tried again where that does not help (%s, %s)", (platform, code) => {
    const [from, to] = files();
    const { asked, rename } = refusing(1, code);
    expect(() => replaceFile(from, to, platform, rename)).toThrow(code);
    expect(asked).toHaveLength(1);
  });
});

describe("a small file", () => {
  it("is written whole, for its owner unless others are to read it, and removed", () => {
    const folder = temporaryFolder();
    const [own, open] = [join(folder, "own.json"), join(folder, "open.json")];
    expect([writeSmallFile(own, long), writeSmallFile(open, long, 0o644)]).toEqual([true, true]);
    expect(readSmallFile(own, schema)).toEqual(long);
    expect(isPrivate(own)).toBe(true);
    if (process.platform !== "win32") expect(statSync(open).mode & 0o777).toBe(0o644);
    expect([removeSmallFile(own), removeSmallFile(own), readSmallFile(own, schema)]).toEqual([true, true, null]);
  });

  it.skipIf(process.platform === "win32")("is for others to read though nothing else that the process makes is", () => {
    const path = join(temporaryFolder(), "open.json");
    const before = process.umask(0o077);
    try {
      writeSmallFile(path, long, 0o644);
    } finally {
      process.umask(before);
    }
    expect(statSync(path).mode & 0o777).toBe(0o644);
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

/** A text as programs write it that people have at hand. */
const WRITTEN: Readonly<Record<string, (text: string) => Buffer>> = {
  "UTF-8": (text) => Buffer.from(text),
  "UTF-8 with a byte order mark": (text) => Buffer.from(`\ufeff${text}`),
  "UTF-16, the low byte first": (text) => Buffer.from(`\ufeff${text}`, "utf16le"),
  "UTF-16, the high byte first": (text) => Buffer.from(`\ufeff${text}`, "utf16le").swap16(),
  "Windows-1252": (text) => Buffer.from(text, "latin1"),
};

describe("a text file that somebody made", () => {
  it.each(Object.entries(WRITTEN))("is read where it is in %s", (_encoding, bytes) => {
    const path = join(temporaryFolder(), "a.txt");
    const text = "Schaufenster Süd: 20 £\r\n";
    writeFileSync(path, bytes(text));
    expect(readTextFile(path, KIB)).toEqual({ kind: "text", text });
  });

  it.runIf(process.platform === "linux")("is not read on and on where it has no end", () => {
    expect(readTextFile("/dev/zero", KIB)).toMatchObject({ kind: "unreadable", why: "is larger than 1024 bytes" });
  });

  it.runIf(process.platform === "linux")("is waited for where it comes through a pipe", async () => {
    const module = fileURLToPath(new URL("../../src/player/small-file.ts", import.meta.url));
    // To look at its input makes Node ask for what is there, and nothing is.
    const script = `
      const { bytesIn } = await import(${JSON.stringify(module)});
      process.stdin.pause();
      console.log(String(bytesIn(0, ${KIB})));`;
    const reader = spawn(process.execPath, ["--input-type=module", "--eval", script]);
    const [chunk] = await Promise.all([
      once(reader.stdout, "data"),
      sleep(400).then(() => reader.stdin.end("came late")),
    ]);
    expect(String(chunk)).toBe("came late\n");
  });

  it("says why it cannot be read", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "large"), "x".repeat(KIB + 1));
    const of = (name: string) => readTextFile(join(folder, name), KIB);
    expect(of("none")).toEqual({ kind: "unreadable", code: "ENOENT", why: "cannot be read (ENOENT)" });
    expect(of("large")).toEqual({ kind: "unreadable", code: null, why: "is larger than 1024 bytes" });
  });
});
