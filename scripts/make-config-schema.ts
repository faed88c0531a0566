// Run by hand, `node scripts/make-config-schema.ts`, after the configuration's schema has changed: writes it for editors.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { configJsonSchema } from "../src/player/config/json-schema.ts";

const root = join(import.meta.dirname, "..");
const target = join(root, "assets", "config.schema.json");
writeFileSync(target, JSON.stringify(configJsonSchema()));
execFileSync(join(root, "node_modules", ".bin", "biome"), ["format", "--write", target], {
  cwd: root,
  stdio: "inherit",
});
