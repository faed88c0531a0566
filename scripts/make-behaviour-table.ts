// Run by hand, `node scripts/make-behaviour-table.ts`, after the emulator's table of behaviours has changed: writes it
// into docs/emulator-behaviour.md, between its markers.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { behaviourTable } from "../src/emulator/behaviour/table.ts";

const page = join(import.meta.dirname, "..", "docs", "emulator-behaviour.md");
const text = readFileSync(page, "utf8");
const place = /(<!-- behaviours -->\n)[\s\S]*?(<!-- \/behaviours -->)/;
if (!place.test(text))
  throw new Error("docs/emulator-behaviour.md has no place for the table: <!-- behaviours --> … <!-- /behaviours -->");
writeFileSync(
  page,
  text.replace(place, (_, begin: string, end: string) => begin + behaviourTable() + end),
);
