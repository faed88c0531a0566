import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson, repeatedKeys } from "../../../src/player/config/file.ts";

describe("a key of a JSON text", () => {
  it.each([
    ['{ "a": { "b": 1 }, "c": 2, "a": { "d": 1 } }', ["a"]],
    ['{ "a": [{ "b": 1, "c": { "e": 1, "e": 2 } }, { "b": 1, "\\u0062": 2, "b": 3 }] }', ["a[0].c.e", "a[1].b"]],
    ['{ "a": { "a": 1 }, "b": [{ "a": 1 }, { "a": 1 }], "A": 1 }', []],
    ['[1, "a", "a"]', []],
    [`${"[".repeat(200)}${"]".repeat(200)}`, []],
  ])("is found where it says again what one before it says: %s", (text, keys) => {
    expect(repeatedKeys(text)).toEqual(keys);
  });
});

describe("a JSON text that is broken", () => {
  it.each([
    ["", 1, 1, "the file ends too early"],
    ["{", 1, 2, "the file ends too early"],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, "a comma or } is expected here"],
    ['{\n  "a": 1,\n}', 3, 1, "no comma may stand before the end"],
    ['{ "a" 1 }', 1, 7, "a colon is expected here"],
    ['{ "a": }', 1, 8, "a value is expected here"],
    ["{ a: 1 }", 1, 3, "a key in double quotes is expected here"],
    ["{ 'a': 1 }", 1, 3, "quotes must be double quotes"],
    ['{ "a": 1 } // mine', 1, 12, "nothing may follow the end"],
    ['{\n  // mine\n  "a": 1 }', 2, 3, "comments are not allowed"],
    ['{ "dir": "C:\\data" }', 1, 13, "a backslash must be written twice"],
    ['{ "a": "never ends\n}', 1, 8, "this text in quotes does not end on its line"],
    ['{ "a": [1, 2 }', 1, 14, "a comma or ] is expected here"],
    ['{ "a": 01 }', 1, 9, "a comma or } is expected here"],
    ['{ "a": True }', 1, 8, "a value is expected here"],
    ["[".repeat(100_000), 1, 102, "too many levels"],
  ])("is complained of where and why: %j", (text, line, column, problem) => {
    expect(readJson(text)).toEqual({ kind: "broken", line, column, problem });
  });

  it("is never quoted", () => {
    const reading = readJson('{ "orgToken": "org_secret" "baseUrl": org_secret }');
    expect(JSON.stringify(reading)).not.toContain("secret");
  });

  it("is found to be broken exactly where the engine finds it broken, for any text", () => {
    const piece = fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ":",
      ",",
      '"',
      "\\",
      '"a"',
      "1",
      "-",
      ".5",
      "true",
      " ",
      "\n",
      "é",
      "\t",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        const reading = readJson(text);
        expect(reading.kind === "value").toBe(parses(text));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("a JSON text that is whole", () => {
  it("is read", () => {
    expect(readJson('{"a":[1,"\\u00e9"]}')).toEqual({ kind: "value", value: { a: [1, "é"] } });
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
