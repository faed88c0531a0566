import { inBlocks, median, sum } from "../bench/statistics.ts";
import { readEarlier } from "../figures/run.ts";
import { type Figure, type Hour, perFigure, reportOf, type SoakPiece } from "./report.ts";
import { joinedSlope, type Slope } from "./slope.ts";

/** A soak in a few numbers, however long it was and in however many pieces: what is kept of it, and added to. */
export interface SoakSummary {
  readonly speed: number;
  readonly pieces: readonly SummedPiece[];
  readonly first: Hour;
  /** The last hour that was watched for most of it; null where that is the first. */
  readonly last: Hour | null;
  /** Sums of all hours; of lengths, drift and creatives the most of those in which an item was shown. */
  readonly all: Omit<Hour, "hour" | "footprint">;
  readonly slopes: Readonly<Record<Figure, Slope>>;
  /** Medians over stretches of time, `hours` since the first piece began; older ones are longer. */
  readonly series: Readonly<Record<Figure | "hours", readonly number[]>>;
}

interface SummedPiece {
  /** When it began, ISO 8601. */
  readonly at: string;
  readonly hours: number;
  readonly processor: string;
  /** What a screen must not do, in words. */
  readonly violations: readonly string[];
}

/** What holds for all pieces that were run at once. */
type Sitting = Pick<SoakSummary, "speed"> & Pick<SummedPiece, "at" | "processor">;

const HOUR_MS = 3_600_000;
const POINTS = 150;

/** What was kept in a file before; null where there is none. Only what `npm run soak` wrote of the same pace adds up. */
export function readSummary(file: string, speed: number): SoakSummary | null {
  const unfit = ({ figures }: { readonly figures: object }) =>
    (figures as SoakSummary).speed === speed ? null : `its pieces are not at ${speed} times the pace`;
  return (readEarlier("Starting the soak", "soak", file, unfit)?.figures as SoakSummary | undefined) ?? null;
}

/** Sums up the pieces of one sitting. Throws where there is none. */
export function summaryOf(pieces: readonly SoakPiece[], { speed, at, processor }: Sitting): SoakSummary {
  const { hours, slopes, samples } = reportOf(pieces);
  const [first, ...others] = hours;
  if (first === undefined) throw new Error("a soak without pieces has no summary");
  const size = Math.max(1, Math.ceil(samples.length / POINTS));
  const blocks = inBlocks(samples, size);
  return {
    speed,
    pieces: pieces.map(({ samples: own, violations }) => {
      return { at, hours: rounded((own.at(-1)?.atMs ?? 0) / HOUR_MS, 2), processor, violations };
    }),
    ...{ first, last: lastOf(first, others), all: allOf(hours), slopes },
    series: {
      hours: blocks.map((block) => rounded(median(block.map(({ atMs }) => atMs)) / HOUR_MS, 3)),
      ...perFigure((read) => blocks.map((block) => rounded(median(block.map(read)), 1))),
    },
  };
}

/** One soak of two of the same pace: the later one's hours go on from the earlier one's. */
export function addedUp(before: SoakSummary, { first, last, all, ...now }: SoakSummary): SoakSummary {
  const hoursBefore = sum(before.pieces.map(({ hours }) => Math.ceil(hours)));
  const later = [first, ...(last === null ? [] : [last])].map((one) => ({ ...one, hour: one.hour + hoursBefore }));
  const begins = sum(before.pieces.map(({ hours }) => hours));
  const hours = now.series.hours.map((hour) => rounded(hour + begins, 3));
  return {
    speed: before.speed,
    pieces: [...before.pieces, ...now.pieces],
    first: before.first,
    last: lastOf(before.first, later) ?? before.last,
    all: allOf([before.all, all]),
    slopes: perFigure((_, name) => joinedSlope([before.slopes[name], now.slopes[name]])),
    series: thinned({
      hours: [...before.series.hours, ...hours],
      ...perFigure((_, name) => [...before.series[name], ...now.series[name]]),
    }),
  };
}

/** Where there are too many points, each two neighbours become one. */
function thinned(series: SoakSummary["series"]): SoakSummary["series"] {
  if (series.hours.length <= POINTS) return series;
  const halved = (values: readonly number[]) => inBlocks(values, 2).map((two) => rounded(median(two), 3));
  return thinned({ hours: halved(series.hours), ...perFigure((_, name) => halved(series[name])) });
}

/** The last hour that was watched for more than half as long as the first. */
function lastOf(first: Hour, later: readonly Hour[]): Hour | null {
  return later.findLast(({ frames }) => frames > first.frames / 2) ?? null;
}

function allOf(hours: readonly SoakSummary["all"][]): SoakSummary["all"] {
  const total = (of: (hour: SoakSummary["all"]) => number) => sum(hours.map(of));
  const shown = hours.filter(({ items }) => items > 0);
  const watched = shown.flatMap(({ keptUp }) => keptUp ?? []);
  const worst = (of: (hour: SoakSummary["all"]) => number) => Math.max(...shown.map(of));
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
