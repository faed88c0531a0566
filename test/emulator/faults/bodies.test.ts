import { describe, expect, it } from "vitest";
import { mergePatch } from "../../../src/emulator/faults/effects.ts";

describe("a JSON merge patch", () => {
  it.each([
    ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
    ['{"a":"b"}', '{"a":null}', "{}"],
    ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
    ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
    ['["a","b"]', '["c"]', '["c"]'],
    ['{"a":"b"}', "null", "null"],
    ['["a"]', '{"a":1}', '{"a":1}'],
    ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
    ["{}", '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
    ["{}", '{"__proto__":{"x":1}}', '{"__proto__":{"x":1}}'],
  ])("on %s of %s gives %s", (target, patch, result) => {
    expect(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch)))).toBe(result);
  });
});
