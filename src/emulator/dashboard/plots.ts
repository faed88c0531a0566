import type { ViewedSpot } from "../control/dashboard.ts";
import { byId, lengthInWords } from "./dom.ts";

/** A plot's series next to each other: instants in seconds first. */
type Columns = uPlot.AlignedData;

const HOUR_MS = 3_600_000;
/** The delay is drawn on a logarithmic scale: seconds are usual, and the hour is the limit. */
const DELAYS_S = [1, 10, 60, 600, 3600];
/** Few enough steps to see each. */
const MOST_STEPS = 60;
const STEPS_MS = [15_000, 60_000, 5 * 60_000, 15 * 60_000, HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS];

let plots: { readonly delay: uPlot; readonly rate: uPlot } | null = null;

/** Draws the delay of proofs, and spots, fills and proofs over time. */
export function drawPlots(spots: readonly ViewedSpot[]): void {
  plots ??= {
    delay: new uPlot(delayOptions(), [[]], byId("delay")),
    rate: new uPlot(rateOptions(), [[]], byId("rate")),
  };
  plots.delay.setData(delays(spots));
  plots.rate.setData(rates(spots));
}

/** Lets the plots be made anew: colours and sizes are theirs from the start. */
export function forgetPlots(): void {
  plots?.delay.destroy();
  plots?.rate.destroy();
  plots = null;
}

function delays(spots: readonly ViewedSpot[]): Columns {
  const proofs = spots
    .flatMap(({ issuedAt, items }) =>
      items.flatMap(({ kind, provedAt }) =>
        provedAt === null ? [] : [{ kind, at: provedAt, ms: provedAt - issuedAt }],
      ),
    )
    .sort((one, other) => one.at - other.at);
  const longest = proofs.reduce((most, { ms }) => Math.max(most, ms), 0);
  byId("delay").ariaLabel = `${proofs.length} proofs; the longest came ${lengthInWords(longest)} after its spot`;
  const of = (kind: "news" | "ad") => proofs.map((proof) => (proof.kind === kind ? logSeconds(proof.ms) : null));
  return [proofs.map(({ at }) => at / 1000), of("news"), of("ad"), proofs.map(() => logSeconds(HOUR_MS))];
}

function logSeconds(ms: number): number {
  return Math.log10(Math.max(1, ms / 1000));
}

function rates(spots: readonly ViewedSpot[]): Columns {
  const [first, last] = [spots[0]?.issuedAt ?? 0, spots.at(-1)?.issuedAt ?? 0];
  const stepMs = STEPS_MS.find((ms) => (last - first) / ms < MOST_STEPS) ?? HOUR_MS * 24 * 30;
  byId("bucket").textContent = `per ${lengthInWords(stepMs).replace(/ 00 (?:s|min)$/, "")}`;
  const begin = Math.floor(first / stepMs) * stepMs;
  const count = spots.length === 0 ? 0 : Math.min(1_000, Math.floor((last - begin) / stepMs) + 2);
  const steps = Array.from({ length: count }, () => ({ spots: 0, filled: 0, proved: 0 }));
  for (const { issuedAt, items, state } of spots) {
    const step = steps[Math.floor((issuedAt - begin) / stepMs)];
    if (step === undefined) continue;
    step.spots += 1;
    if (items.some(({ kind }) => kind === "ad")) step.filled += 1;
    if (state === "proved") step.proved += 1;
  }
  // The step that is going on would look like a fall; and one is drawn up to the next, which the last one lacks.
  if (steps.length > 2) steps.pop();
  const final = steps.at(-2);
  if (final !== undefined) steps[steps.length - 1] = final;
  byId("rate").ariaLabel = `${spots.length} spots, ${spots.filter(({ state }) => state === "proved").length} proved`;
  const at = steps.map((_, index) => (begin + index * stepMs) / 1000);
  return [at, steps.map((s) => s.spots), steps.map((s) => s.filled), steps.map((s) => s.proved)];
}

function delayOptions(): uPlot.Options {
  const axis = {
    splits: () => DELAYS_S.map((seconds) => Math.log10(seconds)),
    values: () => ["1 s", "10 s", "1 min", "10 min", "1 h"],
    size: 62,
  };
  const points = (token: string): uPlot.Series => ({
    paths: () => null,
    points: { show: true, size: 7, width: 0, fill: colour(token) },
  });
  const limit = { stroke: colour("--bad"), width: 2, dash: [8, 5], points: { show: false } };
  return { ...options("delay", axis, [0, 3.75]), series: [{}, points("--news"), points("--ad"), limit] };
}

function rateOptions(): uPlot.Options {
  const { stepped } = uPlot.paths;
  const paths = stepped?.({ align: 1 });
  const steps = (token: string, fill: boolean): uPlot.Series => ({
    stroke: colour(token),
    width: 2.5,
    points: { show: false },
    ...(fill ? { fill: `${colour(token)}33` } : {}),
    ...(paths === undefined ? {} : { paths }),
  });
  const whole = { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000], size: 42 };
  const series = [{}, steps("--spots", true), steps("--ad", false), steps("--proofs", false)];
  return { ...options("rate", whole, null), series };
}

function options(id: string, vertical: uPlot.Axis, range: [number, number] | null): Omit<uPlot.Options, "series"> {
  const plot = byId(id);
  const look = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
  return {
    width: plot.clientWidth,
    height: plot.clientHeight,
    legend: { show: false },
    cursor: { show: false },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
    scales: { y: { range: range ?? ((_, __, most) => [0, Math.max(1, most) * 1.15]) } },
    axes: [
      { ...look, font: FONT, space: 70, size: 32, values: "{HH}:{mm}" },
      { ...look, font: FONT, ...vertical },
    ],
  };
}

const FONT = '13px system-ui, "DejaVu Sans", sans-serif';

function colour(token: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(token).trim();
}
