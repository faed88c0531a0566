import { scaleBand, scaleLinear } from "d3-scale";
import { line } from "d3-shape";
import type { Histogram } from "../../test/bench/line.ts";
import { sum } from "../../test/bench/statistics.ts";
import type { SoakSummary } from "../../test/soak/summary.ts";
import { moveOf } from "../../test/soak/table.ts";
import type { KeptRuns } from "./kept.ts";

/** The plots of the kept runs, SVG by file name. The same runs give the same bytes. */
export function plots(kept: KeptRuns): Readonly<Record<string, string>> {
  const soak = kept.soak?.figures;
  const thousand = kept["bench-thousand"]?.figures;
  return {
    ...(soak === undefined ? {} : { "soak-memory.svg": memoryPlot(soak) }),
    ...(thousand?.histogram === undefined
      ? {}
      : { "length-error.svg": histogramPlot(thousand.histogram, thousand.beside) }),
  };
}

const [WIDTH, HEIGHT] = [860, 340];
const INNER = { left: 56, right: WIDTH - 16, top: 56, bottom: HEIGHT - 44 };
const COLOURS = ["#2a4d6e", "#e8654f", "#d99a1c", "#3f9c88", "#8a7fb5"];
const MEMORY = ["memory of all, MB", "main process, MB", "renderers, MB", "graphics, MB", "network, MB"] as const;

/** Memory by process over the hours, and the straight line of the slope that all of it has. */
export function memoryPlot({ series, slopes }: SoakSummary): string {
  const { hours } = series;
  const most = Math.max(...MEMORY.flatMap((name) => series[name]));
  const x = scaleLinear([0, Math.max(...hours)], [INNER.left, INNER.right]);
  const y = scaleLinear([0, most], [INNER.bottom, INNER.top]).nice();
  const path = line<readonly [number, number]>(
    ([hour]) => x(hour),
    ([, value]) => y(value),
  ).digits(1);
  const lines = MEMORY.map((name, index) => {
    const points = series[name].map((value, at) => [hours[at] ?? 0, value] as const);
    return `<path d="${path(points)}" fill="none" stroke="${COLOURS[index]}" stroke-width="1.5"/>`;
  });
  const all = MEMORY[0];
  const slope = slopes[all];
  const [meanHour, mean] = [hours, series[all]].map((values) => sum(values) / values.length) as [number, number];
  const ends = x.domain().map((hour) => [hour, mean + slope.perHour * (hour - meanHour)] as const);
  const move = moveOf(slope);
  const fit = Number.isFinite(slope.perHour) ? `<path d="${path(ends)}" stroke="#000" stroke-dasharray="6 4"/>` : "";
  return picture("memory by process over the hours", [
    ...legend(MEMORY.map((name) => name.replace(", MB", ""))),
    ...axisLeft(
      y.ticks(6).map((value) => [y(value), `${value}`]),
      "MB",
    ),
    ...axisBelow(
      x.ticks(8).map((value) => [x(value), `${value}`]),
      "hours",
    ),
    ...lines,
    fit,
    text(INNER.right, 40, move === "" ? "" : `dashed, MB: ${move}`, "end"),
  ]);
}

/** What share of the items was off by how many refreshes, Spotloop's beside the other's. */
function histogramPlot({ what, unit, spotloop, other }: Histogram, beside: string): string {
  const counts = [spotloop, other].map(withinEdges);
  const values = counts.flatMap((one) => Object.keys(one).map(Number));
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const bins = Array.from({ length: most - least + 1 }, (_, index) => least + index);
  const shares = counts.map((one) => bins.map((bin) => ((one[bin] ?? 0) / Math.max(1, sum(Object.values(one)))) * 100));
  const x = scaleBand(bins, [INNER.left, INNER.right]).padding(0.15);
  const y = scaleLinear([0, 100], [INNER.bottom, INNER.top]);
  const bars = shares.flatMap((own, series) =>
    own.flatMap((share, index) => {
      if (share === 0) return [];
      const left = (x(bins[index] ?? 0) ?? 0) + (series * x.bandwidth()) / 2;
      const box = `x="${fixed(left)}" y="${fixed(y(share))}" width="${fixed(x.bandwidth() / 2)}" height="${fixed(y(0) - y(share))}"`;
      return [`<rect ${box} fill="${COLOURS[series]}"/>`];
    }),
  );
  const middle = (bin: number) => (x(bin) ?? 0) + x.bandwidth() / 2;
  return picture(what, [
    ...legend(["Spotloop", beside]),
    ...axisLeft(
      y.ticks(5).map((value) => [y(value), `${value}`]),
      "% of the items",
    ),
    ...axisBelow(
      bins.map((bin) => [middle(bin), binName(bin)]),
      `${what}, ${unit}`,
    ),
    ...bars,
  ]);
}

/** What is further off is drawn here: by how much no longer matters. */
const EDGE = 10;

function withinEdges(counts: Readonly<Record<string, number>>): Readonly<Record<number, number>> {
  const within: Record<number, number> = {};
  for (const [value, count] of Object.entries(counts)) {
    const bin = Math.max(-EDGE, Math.min(EDGE, Number(value)));
    within[bin] = (within[bin] ?? 0) + count;
  }
  return within;
}

function binName(bin: number): string {
  const signed = `${bin > 0 ? "+" : ""}${bin}`;
  return Math.abs(bin) < EDGE ? signed : `${bin < 0 ? "≤" : "≥"}${signed}`;
}

function picture(title: string, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...parts.filter((part) => part !== ""),
    "</svg>\n",
  ].join("\n");
}

function legend(names: readonly string[]): readonly string[] {
  return names.flatMap((name, index) => {
    const left = INNER.left + sum(names.slice(0, index).map(({ length }) => LEGEND_GAP + length * LETTER));
    return [
      `<rect x="${fixed(left)}" y="12" width="12" height="12" fill="${COLOURS[index]}"/>`,
      text(left + 17, 22, name, "start"),
    ];
  });
}

/** Of a legend's name: what is beside it, and what a letter takes at most. */
const [LEGEND_GAP, LETTER] = [36, 6.5];

type Ticks = readonly (readonly [at: number, label: string])[];

function axisLeft(ticks: Ticks, unit: string): readonly string[] {
  const lines = ticks.map(([at]) => `<path d="M${INNER.left},${fixed(at)}H${INNER.right}" stroke="#ddd"/>`);
  return [
    ...lines,
    ...ticks.map(([at, label]) => text(INNER.left - 6, at + 4, label, "end")),
    text(4, 40, unit, "start"),
  ];
}

function axisBelow(ticks: Ticks, unit: string): readonly string[] {
  const axis = `<path d="M${INNER.left},${INNER.bottom}H${INNER.right}" stroke="#000"/>`;
  const labels = ticks.map(([at, label]) => text(at, INNER.bottom + 16, label, "middle"));
  return [axis, ...labels, text((INNER.left + INNER.right) / 2, HEIGHT - 8, unit, "middle")];
}

function text(x: number, y: number, words: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${fixed(x)}" y="${fixed(y)}" text-anchor="${anchor}">${escaped(words)}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function fixed(value: number): string {
  return String(Number(value.toFixed(1)));
}
