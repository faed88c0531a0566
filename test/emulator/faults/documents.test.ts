import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FAULT_ACTIONS } from "../../../src/cli/emulator/fault.ts";
import { faultEffectsSchema, faultSchema, ROUTE_NAMES } from "../../../src/emulator/faults/schema.ts";

const page = readFileSync(`${import.meta.dirname}/../../../docs/emulator.md`, "utf8");
const table = /<!-- faults -->([\s\S]+?)<!-- \/faults -->/.exec(page)?.[1] ?? "";
const match = faultSchema.shape.match.unwrap();

describe("the docs' table of faults", () => {
  it("has every field, route and action of a rule", () => {
    const rule = Object.keys(faultSchema.shape).filter((key) => key !== "match" && key !== "do");
    const fields = [
      ...rule,
      ...ROUTE_NAMES,
      ...Object.keys(match.shape).map((key) => `match.${key}`),
      ...Object.keys(faultEffectsSchema.shape).map((key) => `do.${key}`),
    ];

    expect(fields.filter((field) => !table.includes(`\`${field}\``))).toEqual([]);
  });

  it("has every option of the command line", () => {
    const flags = FAULT_ACTIONS.map((action) => action.flags.split(" ")[0] ?? "");

    expect(flags.filter((flag) => !table.includes(`\`${flag}\``))).toEqual([]);
    expect(FAULT_ACTIONS.map(({ key }) => key).toSorted()).toEqual(Object.keys(faultEffectsSchema.shape).toSorted());
  });
});
