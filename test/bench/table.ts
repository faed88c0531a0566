import type { Comparison, Section } from "./line.ts";
import { median, medianRatio, range } from "./statistics.ts";

/** A section as it is read: a title, a heading, and a row for each comparison; columns stand under each other. */
export function tableOf({ title, subject = "Spotloop", beside, rows }: Section): string {
  const heading = ["", subject, beside, "ratio", "goal"];
  const cells = [heading, ...rows.map(cellsOf)];
  const widths = heading.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("   ")
      .trimEnd(),
  );
  return `${title}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

/** The figure that a goal is about: the ratio, or Spotloop's own. */
export function judged({ as, spotloop, other }: Comparison): number {
  return as === "ratio" ? medianRatio(spotloop, other) : median(spotloop);
}

/** Whether the goal is met; `null` where there is none. */
export function isMet(row: Comparison): boolean | null {
  if (row.goal === undefined) return null;
  return row.goalIs === "least" ? judged(row) >= row.goal : judged(row) <= row.goal;
}

/** A row as it is read: what, Spotloop's figure, the other's, their ratio, the goal. */
export function cellsOf(row: Comparison): readonly string[] {
  const ratio = row.as === "ratio" ? medianRatio(row.spotloop, row.other).toFixed(2) : "";
  return [row.what, figure(row, row.spotloop), figure(row, row.other), ratio, goalOf(row)];
}

/** The middle of all rounds, and their range where they differ: "412 MB (408-430)". Of what has no figure, nothing. */
export function figure({ unit, digits }: Comparison, values: readonly number[]): string {
  if (values.length === 0) return "";
  const text = (value: number) =>
    value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const [least, most] = range(values).map(text);
  const spread = least === most ? "" : ` (${least}-${most})`;
  return `${text(median(values))} ${unit}`.trimEnd() + spread;
}

function goalOf(row: Comparison): string {
  if (row.goal === undefined) return "";
  return `at ${row.goalIs ?? "most"} ${row.goal}: ${isMet(row) ? "met" : "missed"}`;
}
