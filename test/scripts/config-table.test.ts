import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configTable } from "../../scripts/config-table.ts";

it("is in the README as it is in the schema", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
  expect(readme).toContain(configTable());
});
