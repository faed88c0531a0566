import { describe, expect, it } from "vitest";
import { readLibraries } from "../../../scripts/package/libraries.ts";

describe("which packages for other programs are asked for", () => {
  it.each([
    [["--client"], ["client"], []],
    [["--emulator", "--client"], ["client", "emulator"], []],
    [["--dir"], [], ["--dir"]],
    [["--client", "--deb"], ["client"], ["--deb"]],
    [[], [], []],
  ])("%j: %j, and beside it %j", (args, libraries, rest) => {
    expect(readLibraries(args)).toEqual({ libraries, rest });
  });
});
