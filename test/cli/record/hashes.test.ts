import canonicalize from "canonicalize";
import fc from "fast-check";
import { expect, it } from "vitest";
import { canonicalJson } from "../../../src/cli/record/verify/hashes.ts";

it("writes the example of RFC 8785 as it does", () => {
  const value = {
    numbers: [333333333.3333333, 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
    string: "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\"/",
    literals: [null, true, false],
  };
  expect(canonicalJson(value)).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

it("sorts members by their UTF-16 code units", () => {
  const value = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\u{1f600}": 5, "\u0080": 6, "\u00f6": 7 };
  const expected = ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\u{1f600}", "\ufb33"];
  expect(Object.keys(JSON.parse(canonicalJson(value)))).toEqual(["1", ...expected.filter((name) => name !== "1")]);
  expect(canonicalJson(value)).toBe(
    `{${expected.map((name) => `${JSON.stringify(name)}:${Reflect.get(value, name)}`)}}`,
  );
});

it("writes any JSON as the writer's library does, though it is another's work", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalJson(value)).toBe(canonicalize(value));
    }),
  );
});
