import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { configTable } from "../../scripts/config-table.ts";

it("is in the docs as it is in the schema", () => {
  const page = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
  expect(page).toContain(configTable());
});
