// Run by hand, `node scripts/make-config-docs.ts`, after the configuration's schema has changed: writes it for editors, and
// as the table between its markers in README.md.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configJsonSchema } from "../src/player/config/json-schema.ts";
import { configTable } from "./config-table.ts";

const root = join(import.meta.dirname, "..");
const schema = join(root, "assets", "config.schema.json");
writeFileSync(schema, JSON.stringify(configJsonSchema()));
execFileSync(join(root, "node_modules", ".bin", "biome"), ["format", "--write", schema], {
  cwd: root,
  stdio: "inherit",
});

const readme = join(root, "README.md");
const place = /(<!-- configuration -->\n\n)[\s\S]*?(\n<!-- \/configuration -->)/;
const text = readFileSync(readme, "utf8");
writeFileSync(
  readme,
  text.replace(place, (_, begin: string, end: string) => begin + configTable() + end),
);
