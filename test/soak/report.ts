import { median, percentile } from "../bench/statistics.ts";
import { BLACK, EMPTY, FOREIGN, HOUSE, type Sight, WHITE } from "../support/display/eye.ts";
import { type Footprint, KINDS } from "./footprint.ts";
import type { Seen, SeenItem } from "./seen.ts";
import { type Slope, slopeOf } from "./slope.ts";

/** What one hour was like, or the rest of the last one. */
export interface Hour {
  readonly hour: number;
  readonly frames: number;
  readonly black: number;
  readonly white: number;
  readonly foreign: number;
  readonly house: number;
  readonly items: number;
  readonly creatives: number;
  readonly lengthErrorP50Ms: number;
  readonly lengthErrorP99Ms: number;
  readonly lengthErrorMostMs: number;
  /** How long items that followed each other were in sight together, less their durations. */
  readonly driftMs: number;
  readonly restarts: number;
  /** The median of each figure. */
  readonly footprint: Readonly<Record<Figure, number>>;
}

/** What is sampled over time. */
export const FIGURES = {
  "memory of all, MB": ({ memoryMb }: Footprint) => KINDS.reduce((sum, kind) => sum + memoryMb[kind], 0),
  "main process, MB": ({ memoryMb }: Footprint) => memoryMb.main,
  "renderers, MB": ({ memoryMb }: Footprint) => memoryMb.renderers,
  "graphics, MB": ({ memoryMb }: Footprint) => memoryMb.gpu,
  "network, MB": ({ memoryMb }: Footprint) => memoryMb.network,
  "file handles": ({ handles }: Footprint) => handles,
  threads: ({ threads }: Footprint) => threads,
  "data folder, MB": ({ diskMb }: Footprint) => diskMb,
  "proofs.db, kB": ({ proofsKb }: Footprint) => proofsKb,
  "media.db, kB": ({ indexKb }: Footprint) => indexKb,
} as const;
export type Figure = keyof typeof FIGURES;
export const FIGURE_NAMES = Object.keys(FIGURES) as readonly Figure[];

/** What a soak found. */
export interface SoakReport {
  readonly hours: readonly Hour[];
  /** Per hour, without the beginning. */
  readonly slopes: Readonly<Record<Figure, Slope>>;
  readonly samples: readonly Footprint[];
  /** How often each creative was shown. */
  readonly shown: Readonly<Record<string, number>>;
  /** What a screen must not do, in words; none on a good one. */
  readonly violations: readonly string[];
}

/** What a soak saw. */
export interface SoakSight {
  readonly seen: Seen;
  readonly samples: readonly Footprint[];
  /** When the player was started anew, since the soak began. */
  readonly restartsAtMs: readonly number[];
  /** Creatives that are in the rotation. */
  readonly rotation: readonly string[];
}

const HOUR_MS = 3_600_000;
/** Caches fill and code is compiled at first: a slope is looked for after that, where there is so much. */
const WARM_UP_MS = 5 * 60_000;
/** More of a kind are counted, not listed. */
const MOST_LISTED = 5;

/** Adds up what was seen, by the hour. */
export function reportOf(sight: SoakSight): SoakReport {
  const { seen, samples, rotation } = sight;
  const count = Math.max(1, Math.ceil((samples.at(-1)?.atMs ?? 0) / HOUR_MS));
  const settled = samples.filter(({ atMs }) => atMs >= WARM_UP_MS);
  const fitted = settled.length > samples.length / 2 ? settled : samples;
  const shown: Record<string, number> = {};
  for (const { creative } of seen.items) shown[creative] = (shown[creative] ?? 0) + 1;
  return {
    hours: Array.from({ length: count }, (_, hour) => hourOf(hour, sight)),
    slopes: perFigure((of) => slopeOf(fitted.map((one) => ({ atMs: one.atMs, value: of(one) })))),
    samples,
    shown,
    violations: [...wrongSights(seen), ...wrongProofs(seen), ...missing(rotation, shown)],
  };
}

function hourOf(hour: number, { seen, samples, restartsAtMs }: SoakSight): Hour {
  const within = (atMs: number) => Math.floor(atMs / HOUR_MS) === hour;
  const sightings = seen.between.filter(({ startS }) => within(startS * 1000));
  const items = seen.items.filter(({ startS }) => within(startS * 1000));
  const framesOf = (...sights: readonly Sight[]) =>
    sightings.reduce((sum, { sight, frames }) => sum + (sights.includes(sight) ? frames : 0), 0);
  const errors = items.map(({ lengthMs, durationMs }) => Math.abs(lengthMs - durationMs));
  const footprints = samples.filter(({ atMs }) => within(atMs));
  return {
    hour: hour + 1,
    frames: sightings.reduce((sum, { frames }) => sum + frames, 0),
    black: framesOf(BLACK),
    white: framesOf(WHITE),
    foreign: framesOf(FOREIGN, EMPTY),
    house: framesOf(HOUSE),
    items: items.length,
    creatives: new Set(items.map(({ creative }) => creative)).size,
    lengthErrorP50Ms: median(errors),
    lengthErrorP99Ms: percentile(errors, 0.99),
    lengthErrorMostMs: Math.max(0, ...errors),
    driftMs: driftOf(items),
    restarts: restartsAtMs.filter(within).length,
    footprint: perFigure((of) => median(footprints.map(of))),
  };
}

/** Where something came between two items, what it took is no drift. */
function driftOf(items: readonly SeenItem[]): number {
  return items.reduce((sum, { lengthMs, durationMs }, index) => {
    return items[index + 1]?.follows ? sum + lengthMs - durationMs : sum;
  }, 0);
}

function perFigure<T>(of: (read: (sample: Footprint) => number) => T): Record<Figure, T> {
  return Object.fromEntries(FIGURE_NAMES.map((name) => [name, of(FIGURES[name])])) as Record<Figure, T>;
}

function wrongSights({ between }: Seen): readonly string[] {
  const wrong = between.filter(({ sight }) => [BLACK, EMPTY, FOREIGN, WHITE].includes(sight));
  return listed(wrong, ({ sight, frames, startS }) => `${frames} frames ${sight} at ${startS.toFixed(1)} s`);
}

function wrongProofs({ unproved, unseen }: Seen): readonly string[] {
  return [
    ...listed(unproved, ({ sight, startS }) => `${sight} was shown at ${startS.toFixed(1)} s and not proved`),
    ...listed(unseen, ({ creative }) => `${creative} was proved and not seen`),
  ];
}

function missing(rotation: readonly string[], shown: Readonly<Record<string, number>>): readonly string[] {
  return rotation.filter((name) => shown[name] === undefined).map((name) => `${name} was never shown`);
}

function listed<T>(all: readonly T[], text: (one: T) => string): readonly string[] {
  const rest = all.length - MOST_LISTED;
  return [...all.slice(0, MOST_LISTED).map(text), ...(rest > 0 ? [`and ${rest} more of these`] : [])];
}
