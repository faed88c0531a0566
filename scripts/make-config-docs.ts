// Run by hand, `node scripts/make-config-docs.ts`, after the schema of the configuration or of provision's answers has
// changed: writes both for editors, and the configuration's as the table between its markers in docs/configuration.md.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answersJsonSchema } from "../src/cli/provision/answers.ts";
import { configJsonSchema } from "../src/player/config/schema.ts";
import { configTable } from "./config-table.ts";

const root = join(import.meta.dirname, "..");
const schemas = { "config.schema.json": configJsonSchema(), "provision.schema.json": answersJsonSchema() };
for (const [name, schema] of Object.entries(schemas)) {
  const file = join(root, "assets", name);
  writeFileSync(file, JSON.stringify(schema));
  execFileSync(join(root, "node_modules", ".bin", "biome"), ["format", "--write", file], {
    cwd: root,
    stdio: "inherit",
  });
}

const page = join(root, "docs", "configuration.md");
const place = /(<!-- configuration -->\n\n)[\s\S]*?(\n<!-- \/configuration -->)/;
const text = readFileSync(page, "utf8");
writeFileSync(
  page,
  text.replace(place, (_, begin: string, end: string) => begin + configTable() + end),
);
