// Run by hand, `node scripts/make-metrics-table.ts`, after a metric of the player has changed: writes the list of them into
// docs/monitoring.md, between its markers.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { metricsTable } from "./metrics-table.ts";

const page = join(import.meta.dirname, "..", "docs", "monitoring.md");
const text = readFileSync(page, "utf8");
const place = /(<!-- metrics -->\n\n)[\s\S]*?(\n<!-- \/metrics -->)/;
if (!place.test(text))
  throw new Error("docs/monitoring.md has no place for the table: <!-- metrics --> … <!-- /metrics -->");
writeFileSync(
  page,
  text.replace(place, (_, begin: string, end: string) => begin + metricsTable() + end),
);
