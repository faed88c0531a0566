import { FIGURE_NAMES, type Hour, type SoakReport } from "./report.ts";
import type { Slope } from "./slope.ts";

const SHORTEST_MS = 20 * 60_000;

const ROWS: readonly (readonly [string, (hour: Hour) => string])[] = [
  ["frames watched", ({ frames }) => `${frames}`],
  ["black, white, foreign frames", ({ black, white, foreign }) => `${black}, ${white}, ${foreign}`],
  ["frames of house content", ({ house }) => `${house}`],
  ["items shown and proved", ({ items }) => `${items}`],
  ["different creatives", ({ creatives }) => `${creatives}`],
  ["error of an item's length, p50, ms", ({ lengthErrorP50Ms }) => lengthErrorP50Ms.toFixed(0)],
  ["error of an item's length, p99, ms", ({ lengthErrorP99Ms }) => lengthErrorP99Ms.toFixed(0)],
  ["error of an item's length, most, ms", ({ lengthErrorMostMs }) => lengthErrorMostMs.toFixed(0)],
  ["items that the machine held up", ({ keptUp }) => `${keptUp?.others ?? ""}`],
  ["error of the length of all others, p99, ms", ({ keptUp }) => keptUp?.p99Ms.toFixed(0) ?? ""],
  ["error of the length of all others, most, ms", ({ keptUp }) => keptUp?.mostMs.toFixed(0) ?? ""],
  ["drift, ms", ({ driftMs }) => driftMs.toFixed(0)],
  ["restarts", ({ restarts }) => `${restarts}`],
  ...FIGURE_NAMES.map((name) => [name, ({ footprint }: Hour) => footprint[name].toFixed(0)] as const),
];

/** A soak as it is read, in Markdown: a column for each hour, and how each figure moved. */
export function tableOf({ hours, slopes, shown, violations }: SoakReport): string {
  const moves = new Map<string, string>(FIGURE_NAMES.map((name) => [name, moveOf(slopes[name])]));
  const heading = ["", ...hours.map(({ hour }) => `hour ${hour}`), "moves by (95 %)"];
  const rows = ROWS.map(([name, text]) => [name, ...hours.map(text), moves.get(name) ?? ""]);
  const lines = [heading, heading.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  const counts = Object.entries(shown).map(([name, count]) => `${name} ${count}`);
  const wrong = violations.length === 0 ? "Nothing was wrong." : violations.map((text) => `- ${text}`).join("\n");
  return `${lines.join("\n")}\n\nShown: ${counts.join(", ")}.\n\n${wrong}\n`;
}

/** A run of minutes has no slope worth a word. */
export function moveOf({ perHour, plusMinus, overMs }: Slope): string {
  return overMs < SHORTEST_MS ? "" : `${signed(perHour)} ± ${plusMinus.toFixed(1)} an hour`;
}

function signed(value: number): string {
  return `${value < 0 ? "" : "+"}${value.toFixed(1)}`;
}
