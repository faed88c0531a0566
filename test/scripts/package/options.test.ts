import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readPackageOptions } from "../../../scripts/package/options.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

describe("what npm run package is asked for", () => {
  it.each([[["--dir"]], [["--deb"]], [["--deb", "--arm64"]]])("may be made of the stand-in with %j", (args) => {
    expect(readPackageOptions(args).isTrial).toBe(true);
  });

  it.each([
    [[]],
    [["--linux", "AppImage"]],
    [["--deb", "--publish", "always"]],
    [["--deb", "--publish=onTag"]],
    [["--deb", "-p", "always"]],
    [["--dir", "-c.publish.provider=generic"]],
    [["--deb", "--config.publish=github"]],
  ])("is refused to the stand-in with %j", (args) => {
    expect(readPackageOptions(args).isTrial).toBe(false);
  });

  it("leaves all but --deb to electron-builder, and finds where that writes", () => {
    expect(readPackageOptions(["--deb", "--x64"])).toMatchObject({ deb: true, rest: ["--x64"] });
    expect(readPackageOptions([]).folder).toBe(join(ROOT, "release"));
    expect(readPackageOptions(["-c.directories.output=/srv/out"]).folder).toBe("/srv/out");
  });

  it("takes another version than the one in package.json, and leaves it to nobody else", () => {
    expect(readPackageOptions(["--deb", "-c.extraMetadata.version=0.2.0"])).toMatchObject({
      version: "0.2.0",
      rest: [],
    });
    expect(readPackageOptions(["--deb"]).version).toBeNull();
  });
});
