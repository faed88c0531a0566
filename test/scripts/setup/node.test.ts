import { describe, expect, it } from "vitest";
import { isNewEnough, nodeToUse } from "../../../scripts/setup/node.mjs";
import { Stop } from "../../../scripts/setup/stop.mjs";

describe("the Node to use", () => {
  const unknown = { platform: "sunos" as const, arch: "x64" as const, execPath: "/opt/node/bin/node" };

  it("is the one at hand where there is no package for the platform and it runs TypeScript", () => {
    expect(nodeToUse({ ...unknown, version: "22.18.0" })).toBe("/opt/node/bin/node");
  });

  it("is missing, with a clear stop, where the one at hand is too old", () => {
    expect(() => nodeToUse({ ...unknown, version: "20.20.2" })).toThrow(Stop);
    expect(() => nodeToUse({ ...unknown, version: "20.20.2" })).toThrow("Install Node 24");
  });

  it.each([
    ["20.20.2", false],
    ["22.17.1", false],
    ["22.18.0", true],
    ["24.0.0", true],
  ])("runs TypeScript as it is: %s %s", (version, enough) => {
    expect(isNewEnough(version)).toBe(enough);
  });
});
