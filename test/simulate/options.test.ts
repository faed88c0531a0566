import { describe, expect, it } from "vitest";
import { readOptions } from "./options.ts";

const read = (...args: string[]) => readOptions(args, "/here", () => 7);

describe("the options of a simulation", () => {
  it("are a day of any seed by default", () => {
    expect(read()).toEqual({ days: 1, seed: 7, json: null, verbose: false });
    expect(read("--days", "365", "--seed", "99999999999", "--json", "out.json", "--verbose")).toEqual({
      ...{ days: 365, seed: 99_999_999_999, json: "/here/out.json", verbose: true },
    });
  });

  it.each([
    [["--days", "0"], "--days cannot be 0"],
    [["--days", "week"], "--days cannot be week"],
    [["--days="], "--days cannot be"],
    [["--seed", "1.5"], "--seed cannot be 1.5"],
    [["--seed=-3"], "--seed cannot be -3"],
    [["--seed", "1e99"], "--seed cannot be 1e99"],
    [["--dyas", "3"], "Unknown option '--dyas'"],
    [["now"], "Unexpected argument 'now'"],
  ])("that make no sense are refused with how it is meant: %j", (args, why) => {
    expect(() => read(...args)).toThrow(why);
    expect(() => read(...args)).toThrow("npm run simulate --");
  });
});
