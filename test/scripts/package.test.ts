import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getRawHeader, listPackage } from "@electron/asar";
import { FuseState, FuseV1Options, getCurrentFuseWire } from "@electron/fuses";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const output = mkdtempSync(join(tmpdir(), "spotloop-package-"));
const folder = join(output, "linux-unpacked");
const archive = join(folder, "resources", "app.asar");

/** Copies a whole Electron; minutes only where the disk is very slow. */
const BUILD_MS = 180_000;

beforeAll(() => {
  const args = ["scripts/ready.mjs", "package", "--dir", `-c.directories.output=${output}`];
  execFileSync(process.execPath, args, { cwd: root, stdio: "pipe" });
}, BUILD_MS);

afterAll(() => rmSync(output, { recursive: true, force: true }));

describe("the packaged application", () => {
  const packed = () => listPackage(archive, { isPack: false });

  it("has the executable, and the player, its pages and its creatives in the archive", () => {
    expect(statSync(join(folder, "spotloop")).mode & 0o111).toBe(0o111);
    for (const file of [
      "/package.json",
      "/dist/app/main.js",
      "/dist/cli/main.js",
      "/assets/creatives/creatives.json",
      "/assets/creatives/bad/spinning.html",
    ]) {
      expect(packed()).toContain(file);
    }
    expect(packed().some((file) => /^\/dist\/renderer\/.*\.html$/.test(file))).toBe(true);
  });

  it("loads nothing but the archive, and gives nobody Node, a debugger or files", async () => {
    const fuses = await getCurrentFuseWire(join(folder, "spotloop"));
    const on = [FuseV1Options.OnlyLoadAppFromAsar, FuseV1Options.EnableEmbeddedAsarIntegrityValidation];
    const off = [
      FuseV1Options.RunAsNode,
      FuseV1Options.EnableNodeOptionsEnvironmentVariable,
      FuseV1Options.EnableNodeCliInspectArguments,
      FuseV1Options.GrantFileProtocolExtraPrivileges,
      FuseV1Options.LoadBrowserProcessSpecificV8Snapshot,
    ];
    expect(on.map((fuse) => fuses[fuse])).toEqual(on.map(() => FuseState.ENABLE));
    expect(off.map((fuse) => fuses[fuse])).toEqual(off.map(() => FuseState.DISABLE));
    expect(readdirSync(join(folder, "resources")).sort()).toEqual(["app.asar", "app.asar.unpacked"]);
  });

  it("has exactly one native binary, outside the archive, where it can be loaded", () => {
    const binaries = packed().filter((file) => file.endsWith(".node"));
    expect(binaries).toHaveLength(1);
    expect(existsSync(join(`${archive}.unpacked`, binaries[0] ?? ""))).toBe(true);
  });

  it("has no sources, types, maps, tests, documents, compilers or other platforms in it", () => {
    const foreign = packed().filter(
      (file) =>
        /\.(?:ts|mts|cts|map|md|tsbuildinfo|c|cpp|h|gyp|gypi)$/.test(file) ||
        /^\/(?!dist|assets|node_modules|package\.json)/.test(file) ||
        /^\/assets\/(?!creatives|house|$)\w+/.test(file) ||
        /^\/node_modules\/(?:electron|electron-builder|typescript|vitest|playwright|@biomejs|@types|node-[a-z]+-[a-z0-9]+)(?:\/|$)/.test(
          file,
        ) ||
        /\/(?:test|tests|__tests__|docs|examples?)$/.test(file),
    );
    expect(foreign).toEqual([]);
  });

  it("stays small: what is ours and our packages' fits in 20 MB, and Chromium speaks one language", () => {
    expect(sizeOf(getRawHeader(archive).header)).toBeLessThan(20e6);
    expect(readdirSync(join(folder, "locales"))).toEqual(["en-US.pak"]);
  });
});

interface Entry {
  readonly size?: number;
  readonly files?: Readonly<Record<string, Entry>>;
}

function sizeOf({ size = 0, files = {} }: Entry): number {
  return Object.values(files).reduce((sum, entry) => sum + sizeOf(entry), size);
}
