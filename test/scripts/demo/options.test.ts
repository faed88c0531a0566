import { describe, expect, it } from "vitest";
import { readOptions } from "../../../scripts/demo/options.ts";

describe("what the demo is asked for", () => {
  it("is to play until it is stopped, by default", () => {
    expect(readOptions([], "/home/me")).toEqual({ spots: Number.POSITIVE_INFINITY, screenshot: null });
  });

  it("is a number of spots, and a picture where the person stands", () => {
    expect(readOptions(["--spots", "3", "--screenshot", "shot.png"], "/home/me")).toEqual({
      spots: 3,
      screenshot: "/home/me/shot.png",
    });
  });

  it.each([
    [["--spots", "0"], "--spots wants a whole number"],
    [["--spots", "many"], "--spots wants a whole number"],
    [["--screenshot", "shot"], "--screenshot wants a .png or .jpg file"],
    [["--spot", "3"], "--spot"],
    [["3"], "3"],
  ])("is refused with the usage when it is %j", (args, why) => {
    expect(() => readOptions(args, "/")).toThrow(why);
    expect(() => readOptions(args, "/")).toThrow("npm run demo -- [--spots N] [--screenshot FILE]");
  });
});
