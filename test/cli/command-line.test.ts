import { expect, it } from "vitest";
import { wholeNumber } from "../../src/cli/command-line.ts";

it.each(["0", "7", "65535"])("reads %s of an option", (text) => {
  expect(wholeNumber(0, 65_535)(text)).toBe(Number(text));
});

it.each(["", " 1", "-1", "1.5", "1e3", "0x10", "65536", "9".repeat(400)])(
  "refuses %j, and says what may be",
  (text) => {
    expect(() => wholeNumber(0, 65_535)(text)).toThrow("It must be a whole number from 0 to 65535.");
  },
);

it("takes no number that is not exact", () => {
  expect(wholeNumber(1)("999999999999999")).toBe(999_999_999_999_999);
  expect(() => wholeNumber(1)("1000000000000000")).toThrow("It must be a whole number from 1.");
  expect(() => wholeNumber(1)("9007199254740993")).toThrow("It must be a whole number from 1.");
});
