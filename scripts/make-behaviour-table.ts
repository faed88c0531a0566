// Run by hand, `node scripts/make-behaviour-table.ts`, after the emulator's table of behaviours has changed: writes it
// between its markers in README.md, or to assets/behaviours.md where there is no such place.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { behaviourTable } from "../src/emulator/behaviour/table.ts";

const root = join(import.meta.dirname, "..");
const readme = join(root, "README.md");
const text = existsSync(readme) ? readFileSync(readme, "utf8") : "";
const place = /(<!-- behaviours -->\n)[\s\S]*?(<!-- \/behaviours -->)/;

if (place.test(text)) {
  writeFileSync(
    readme,
    text.replace(place, (_, begin: string, end: string) => begin + behaviourTable() + end),
  );
} else {
  writeFileSync(join(root, "assets", "behaviours.md"), behaviourTable());
}
