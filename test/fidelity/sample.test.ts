import { describe, expect, it } from "vitest";
import { isLate, isRight, judge, type Outcome, type Sample } from "./sample.ts";
import { fidelityTable } from "./table.ts";

const sample: Sample = {
  name: "spring-market",
  does: "colours its body",
  mimeType: "text/html",
  width: 1280,
  height: 720,
  url: "http://site/page.html",
  bare: { url: "http://site/page.html", width: 1280, height: 720 },
  isInShort: false,
  fails: null,
};
const result = (outcome: Outcome) => ({ sample, outcome });

describe("a creative's showing", () => {
  it("is right where one cell in a hundred is off and it was proved", () => {
    expect(isRight(result(judge({ cells: 0.01, pixels: 0.3 }, true)))).toBe(true);
  });

  it("is wrong where more is off", () => {
    expect(isRight(result(judge({ cells: 0.011, pixels: 0 }, true)))).toBe(false);
  });

  it.each<[string, boolean, Outcome]>([
    ["in whose middle no picture was taken", true, { kind: "missed", why: "no picture was taken in its middle" }],
    ["that was not ready in time", true, { kind: "not-shown", reason: "not-ready", expected: false, log: [] }],
    ["that failed otherwise", false, { kind: "not-shown", reason: "hung", expected: false, log: [] }],
    ["that differs", false, judge({ cells: 0.5, pixels: 0.5 }, true)],
  ])("%s is shown once more: %s", (_, again, outcome) => {
    expect(isLate(outcome)).toBe(again);
  });

  it("is wrong where it was not proved", () => {
    expect(isRight(result(judge({ cells: 0, pixels: 0 }, false)))).toBe(false);
  });

  it("is wrong where no picture was taken", () => {
    expect(isRight(result({ kind: "missed", why: "it was never seen on air" }))).toBe(false);
  });

  it.each([true, false])("is right where it could not be shown only if that was expected: %s", (expected) => {
    expect(isRight(result({ kind: "not-shown", reason: "undecodable", expected, log: [] }))).toBe(expected);
  });
});

describe("the table of a comparison", () => {
  it("has what is wrong last, and counts what is right", () => {
    const different = {
      ...result(judge({ cells: 0.42, pixels: 0.4 }, true)),
      sample: { ...sample, name: "a-wrong-one" },
    };
    const lines = fidelityTable([different, result(judge({ cells: 0, pixels: 0 }, true))]).split("\n");
    expect(lines[1]).toMatch(/^spring-market +0\.00 % +0\.00 % +yes +alike$/);
    expect(lines[2]).toMatch(/^a-wrong-one +42\.00 % +40\.00 % +yes +DIFFERENT$/);
    expect(lines).toContain("1 of 2 as their makers made them");
  });
});
