import { median, percentile, sum } from "../bench/statistics.ts";
import { BLACK, EMPTY, FOREIGN, HOUSE, type Sight, SPOILT, WHITE } from "../support/display/eye.ts";
import { isHeldUp } from "../support/display/punctuality.ts";
import type { Stall } from "../support/display/stalls.ts";
import { type Footprint, KINDS } from "./footprint.ts";
import type { Seen, SeenItem } from "./seen.ts";
import { joinedSlope, type Slope, slopeOf } from "./slope.ts";

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
  /** Of the items that the machine did not hold up, and how many others there were; nothing where nobody watched it. */
  readonly keptUp?: { readonly others: number; readonly p99Ms: number; readonly mostMs: number };
  /** How long items that followed each other were in sight together, less their durations. */
  readonly driftMs: number;
  readonly restarts: number;
  /** The median of each figure. */
  readonly footprint: Readonly<Record<Figure, number>>;
}

/** What is sampled over time. */
export const FIGURES = {
  "memory of all, MB": ({ memoryMb }: Footprint) => sum(KINDS.map((kind) => memoryMb[kind])),
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

/** What one run of a player was like, from its start to its end. */
export interface SoakPiece {
  readonly hours: readonly Hour[];
  readonly samples: readonly Footprint[];
  /** How often each creative was shown. */
  readonly shown: Readonly<Record<string, number>>;
  /** What a screen must not do, in words; none on a good one. */
  readonly violations: readonly string[];
}

/** What a soak found in all its pieces; hours and samples go on from one to the next. */
export interface SoakReport extends SoakPiece {
  /** Per hour, without the beginning of each piece. */
  readonly slopes: Readonly<Record<Figure, Slope>>;
}

/** What a soak saw. */
export interface SoakSight {
  readonly seen: Seen;
  readonly samples: readonly Footprint[];
  readonly stalls: readonly Stall[];
  /** When the player was started anew, since the soak began. */
  readonly restartsAtMs: readonly number[];
  /** The player's log, with the wall clock's time of day (UTC) in each line. */
  readonly log: readonly string[];
  /** What the wall clock said when the soak began. */
  readonly begunAt: Date;
  /** Creatives that are in the rotation. */
  readonly rotation: readonly string[];
}

const HOUR_MS = 3_600_000;
/** Caches fill and code is compiled at first: a slope is looked for after that, where there is so much. */
const WARM_UP_MS = 5 * 60_000;
/** More of a kind are counted, not listed. */
const MOST_LISTED = 5;

/** Adds up what was seen in one run, by the hour. */
export function pieceOf(sight: SoakSight): SoakPiece {
  const { seen, samples, rotation } = sight;
  const count = Math.max(1, Math.ceil(lengthOf({ samples }) / HOUR_MS));
  const shown: Record<string, number> = {};
  for (const { creative } of seen.items) shown[creative] = (shown[creative] ?? 0) + 1;
  return {
    hours: Array.from({ length: count }, (_, hour) => hourOf(hour, sight)),
    samples,
    shown,
    violations: [...wrongSights(sight), ...wrongProofs(seen), ...missing(rotation, shown)],
  };
}

/** Joins pieces in the order in which they were run. */
export function reportOf(pieces: readonly SoakPiece[]): SoakReport {
  const begins = pieces.map((_, index) => sum(pieces.slice(0, index).map(lengthOf)));
  const shown: Record<string, number> = {};
  for (const [name, count] of pieces.flatMap((piece) => Object.entries(piece.shown))) {
    shown[name] = (shown[name] ?? 0) + count;
  }
  return {
    hours: pieces.flatMap(({ hours }) => hours).map((hour, index) => ({ ...hour, hour: index + 1 })),
    slopes: perFigure((of) =>
      joinedSlope(pieces.map((piece) => slopeOf(settledIn(piece).map((one) => ({ atMs: one.atMs, value: of(one) }))))),
    ),
    samples: pieces.flatMap(({ samples }, index) =>
      samples.map((one) => ({ ...one, atMs: one.atMs + (begins[index] as number) })),
    ),
    shown,
    violations: pieces.flatMap(({ violations }, index) =>
      violations.map((text) => (pieces.length === 1 ? text : `piece ${index + 1}: ${text}`)),
    ),
  };
}

function lengthOf({ samples }: Pick<SoakPiece, "samples">): number {
  return samples.at(-1)?.atMs ?? 0;
}

function settledIn({ samples }: SoakPiece): readonly Footprint[] {
  const settled = samples.filter(({ atMs }) => atMs >= WARM_UP_MS);
  return settled.length > samples.length / 2 ? settled : samples;
}

function hourOf(hour: number, { seen, samples, stalls, restartsAtMs }: SoakSight): Hour {
  const within = (atMs: number) => Math.floor(atMs / HOUR_MS) === hour;
  const sightings = seen.between.filter(({ startS }) => within(startS * 1000));
  const items = seen.items.filter(({ startS }) => within(startS * 1000));
  const framesOf = (...sights: readonly Sight[]) =>
    sum(sightings.map(({ sight, frames }) => (sights.includes(sight) ? frames : 0)));
  const errors = items.map(errorOf);
  const others = items.filter((item) => !isHeldUp(item, stalls)).map(errorOf);
  const footprints = samples.filter(({ atMs }) => within(atMs));
  return {
    hour: hour + 1,
    frames: sum(sightings.map(({ frames }) => frames)),
    black: framesOf(BLACK),
    white: framesOf(WHITE),
    foreign: framesOf(FOREIGN, EMPTY),
    house: framesOf(HOUSE),
    items: items.length,
    creatives: new Set(items.map(({ creative }) => creative)).size,
    lengthErrorP50Ms: median(errors),
    lengthErrorP99Ms: percentile(errors, 0.99),
    lengthErrorMostMs: Math.max(0, ...errors),
    keptUp: {
      others: items.length - others.length,
      p99Ms: percentile(others, 0.99),
      mostMs: Math.max(0, ...others),
    },
    driftMs: driftOf(items),
    restarts: restartsAtMs.filter(within).length,
    footprint: perFigure((of) => median(footprints.map(of))),
  };
}

function errorOf({ lengthMs, durationMs }: SeenItem): number {
  return Math.abs(lengthMs - durationMs);
}

/** Where something came between two items, what it took is no drift. */
function driftOf(items: readonly SeenItem[]): number {
  return sum(items.map(({ lengthMs, durationMs }, index) => (items[index + 1]?.follows ? lengthMs - durationMs : 0)));
}

/** Something of each figure, by how it is read off a sample and by its name. */
export function perFigure<T>(of: (read: (sample: Footprint) => number, name: Figure) => T): Record<Figure, T> {
  return Object.fromEntries(FIGURE_NAMES.map((name) => [name, of(FIGURES[name], name)])) as Record<Figure, T>;
}

function wrongSights(soak: SoakSight): readonly string[] {
  const { between } = soak.seen;
  const wrong = between.flatMap((one, index) => {
    const [before, after] = [between[index - 1], between[index + 1]].map((beside) => beside?.sight ?? "nothing");
    return SPOILT.includes(one.sight) ? [{ ...one, before, after }] : [];
  });
  return listed(wrong, ({ sight, because = [], frames, startS, before, after }) => {
    const seen = `${frames} frames ${sight} at ${startS.toFixed(1)} s, after ${before}, before ${after}`;
    return [seen, because, saidAround(startS, soak)].flat().join("\n    ");
  });
}

/** So long before a wrong sight, and after it, what the player says may tell why. */
const SAID_WITHIN_MS = { before: 2_000, after: 1_000 } as const;
const DAY_MS = 24 * HOUR_MS;

function saidAround(startS: number, { log, begunAt }: SoakSight): readonly string[] {
  const at = (begunAt.getTime() + startS * 1000) % DAY_MS;
  return log.filter((line) => {
    const [, hours = "", minutes, seconds] = /^(\d\d):(\d\d):(\d\d\.\d{3}) /.exec(line) ?? [];
    const after = (Number(hours) * 60 + Number(minutes)) * 60_000 + Number(seconds) * 1000 - at;
    return hours !== "" && after > -SAID_WITHIN_MS.before && after < SAID_WITHIN_MS.after;
  });
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
