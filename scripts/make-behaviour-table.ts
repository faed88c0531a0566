// Run by hand, `node scripts/make-behaviour-table.ts`, after the emulator's table of behaviours has changed: writes it
// into README.md, between its markers.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { behaviourTable } from "../src/emulator/behaviour/table.ts";

const readme = join(import.meta.dirname, "..", "README.md");
const text = readFileSync(readme, "utf8");
const place = /(<!-- behaviours -->\n)[\s\S]*?(<!-- \/behaviours -->)/;
if (!place.test(text))
  throw new Error("README.md has no place for the table: <!-- behaviours --> … <!-- /behaviours -->");
writeFileSync(
  readme,
  text.replace(place, (_, begin: string, end: string) => begin + behaviourTable() + end),
);
