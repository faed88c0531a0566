import { median, sum } from "../bench/statistics.ts";
import type { KeptPiece } from "./pieces.ts";
import { FIGURE_NAMES, FIGURES, type Figure, type Hour, reportOf } from "./report.ts";
import type { Slope } from "./slope.ts";

/** A soak in a few numbers, however long it was. */
export interface SoakSummary {
  readonly speed: number;
  /** When each piece began, how long it was, and on what. */
  readonly pieces: readonly { readonly at: string; readonly hours: number; readonly processor: string }[];
  readonly first: Hour;
  /** The last hour that was watched for most of it; null where that is the first. */
  readonly last: Hour | null;
  /** Sums of all hours; of lengths, drift and creatives the most of those in which an item was shown. */
  readonly all: Omit<Hour, "hour" | "footprint">;
  readonly slopes: Readonly<Record<Figure, Slope>>;
  readonly violations: readonly string[];
  /** Medians over stretches of time, `hours` since the first piece began. */
  readonly series: Readonly<Record<Figure | "hours", readonly number[]>>;
}

const HOUR_MS = 3_600_000;
const POINTS = 150;

/** Sums up the pieces of a soak. Throws where there is none. */
export function summaryOf(pieces: readonly KeptPiece[]): SoakSummary {
  const { hours, slopes, samples, violations } = reportOf(pieces);
  const [first, ...others] = hours;
  const [piece] = pieces;
  if (first === undefined || piece === undefined) throw new Error("a soak without pieces has no summary");
  const size = Math.max(1, Math.ceil(samples.length / POINTS));
  const blocks = Array.from({ length: Math.ceil(samples.length / size) }, (_, index) =>
    samples.slice(index * size, (index + 1) * size),
  );
  const seriesOf = (name: Figure) => blocks.map((block) => rounded(median(block.map(FIGURES[name])), 1));
  return {
    speed: piece.speed,
    pieces: pieces.map(({ at, samples: own, machine }) => {
      return { at, hours: rounded((own.at(-1)?.atMs ?? 0) / HOUR_MS, 2), processor: machine.processor };
    }),
    ...{ first, last: others.findLast(({ frames }) => frames > first.frames / 2) ?? null, all: allOf(hours) },
    ...{ slopes, violations },
    series: {
      hours: blocks.map((block) => rounded(median(block.map(({ atMs }) => atMs)) / HOUR_MS, 3)),
      ...(Object.fromEntries(FIGURE_NAMES.map((name) => [name, seriesOf(name)])) as Record<Figure, number[]>),
    },
  };
}

function allOf(hours: readonly Hour[]): SoakSummary["all"] {
  const total = (of: (hour: Hour) => number) => sum(hours.map(of));
  const shown = hours.filter(({ items }) => items > 0);
  const watched = shown.flatMap(({ keptUp }) => keptUp ?? []);
  const worst = (of: (hour: Hour) => number) => Math.max(...shown.map(of));
  return {
    ...{
      frames: total(({ frames }) => frames),
      black: total(({ black }) => black),
      white: total(({ white }) => white),
    },
    ...{ foreign: total(({ foreign }) => foreign), house: total(({ house }) => house) },
    ...{ items: total(({ items }) => items), restarts: total(({ restarts }) => restarts) },
    creatives: worst(({ creatives }) => creatives),
    lengthErrorP50Ms: worst(({ lengthErrorP50Ms }) => lengthErrorP50Ms),
    lengthErrorP99Ms: worst(({ lengthErrorP99Ms }) => lengthErrorP99Ms),
    lengthErrorMostMs: worst(({ lengthErrorMostMs }) => lengthErrorMostMs),
    ...(watched.length === 0 ? {} : { keptUp: keptUpOf(watched) }),
    driftMs: worst(({ driftMs }) => Math.abs(driftMs)),
  };
}

function keptUpOf(hours: readonly NonNullable<Hour["keptUp"]>[]): NonNullable<Hour["keptUp"]> {
  return {
    others: sum(hours.map(({ others }) => others)),
    p99Ms: Math.max(...hours.map(({ p99Ms }) => p99Ms)),
    mostMs: Math.max(...hours.map(({ mostMs }) => mostMs)),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
