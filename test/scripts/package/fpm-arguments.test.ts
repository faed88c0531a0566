import { describe, expect, it } from "vitest";
import { readFpmArguments } from "../../../scripts/package/fpm-arguments.mjs";

const LEAST = ["-s", "dir", "-t", "deb", "--package", "out.deb"];

describe("what electron-builder asks of fpm", () => {
  it("becomes the fields of a control file, with a description that is folded", () => {
    const given = [
      "--name",
      "spotloop",
      "--version=1.2.0",
      "-d",
      "liba | libb",
      "-d",
      "libc",
      "--deb-recommends",
      "libd",
    ];
    const { fields } = readFpmArguments([...LEAST, ...given, "--description", "Player\n of spots\n\nand more"]);
    expect(fields).toMatchObject({
      Package: "spotloop",
      Version: "1.2.0",
      Depends: "liba | libb, libc",
      Recommends: "libd",
      Description: "Player\n of spots\n .\n and more",
    });
  });

  it("names what goes where, and the scripts that dpkg runs", () => {
    const { inputs, scripts, file } = readFpmArguments([
      ...LEAST,
      "--before-remove=stop.sh",
      "app/=/opt/App",
      "a=/etc/a",
    ]);
    expect(inputs).toEqual([
      { from: "app/", to: "/opt/App" },
      { from: "a", to: "/etc/a" },
    ]);
    expect(scripts).toEqual({ prerm: "stop.sh" });
    expect(file).toBe("out.deb");
  });

  it.each([
    ["another kind of package", ["-s", "dir", "-t", "rpm", "--package", "out.rpm"]],
    ["an option that nobody here knows", [...LEAST, "--deb-systemd", "x.service"]],
    ["a file that goes nowhere", [...LEAST, "app"]],
    ["a package without a name", ["-s", "dir", "-t", "deb"]],
  ])("is refused where it asks for %s", (_, args) => {
    expect(() => readFpmArguments(args)).toThrow();
  });
});
