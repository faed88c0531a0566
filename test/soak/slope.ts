import { inBlocks, sum } from "../bench/statistics.ts";

/** How a figure moves with time: per hour, and how far off that may be (95 %). */
export interface Slope {
  readonly perHour: number;
  readonly plusMinus: number;
  /** The time that it was looked at. */
  readonly overMs: number;
  /** The squares of how far its times are from their mean, summed, in hours. */
  readonly spread: number;
  /** The degrees of freedom of what is off the line; 0 where the slope is not known. */
  readonly freedom: number;
}

export interface Point {
  readonly atMs: number;
  readonly value: number;
}

/** Neighbouring samples are alike; the means of longer stretches are much less so, and are what is fitted. */
const BLOCKS = 24;
/** Of Student's t for the degrees of freedom that one piece leaves (22); several leave more, for which it is smaller. */
const T_95 = 2.07;
const HOUR_MS = 3_600_000;

/**
 * How steep the straight line is that fits best (least squares), through the means of blocks of time. NaN for fewer than
 * 3 blocks.
 */
export function slopeOf(points: readonly Point[]): Slope {
  const blocks = blockMeans(points);
  const [meanAt, meanValue] = [mean(blocks.map(({ atMs }) => atMs)), mean(blocks.map(({ value }) => value))];
  const around = blocks.map(({ atMs, value }) => ({ hours: (atMs - meanAt) / HOUR_MS, value: value - meanValue }));
  const spread = sum(around.map(({ hours }) => hours ** 2));
  const perHour = sum(around.map(({ hours, value }) => hours * value)) / spread;
  const rest = sum(around.map(({ hours, value }) => (value - perHour * hours) ** 2));
  const overMs = (points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0);
  const freedom = blocks.length - 2;
  if (freedom < 1) return { perHour: Number.NaN, plusMinus: Number.NaN, overMs, spread: 0, freedom: 0 };
  return { perHour, plusMinus: doubtOf(rest, spread, freedom), overMs, spread, freedom };
}

/**
 * The one slope of several runs that fits all of them best. Each begins at a height of its own, since a player was started
 * anew for it; those too short for a slope tell nothing.
 */
export function joinedSlope(slopes: readonly Slope[]): Slope {
  const known = slopes.filter(({ freedom }) => freedom > 0);
  const spread = sum(known.map((one) => one.spread));
  const perHour = sum(known.map((one) => one.perHour * one.spread)) / spread;
  const rest = sum(known.map((one) => restOf(one) + one.spread * (one.perHour - perHour) ** 2));
  const freedom = Math.max(0, sum(known.map((one) => one.freedom)) + known.length - 1);
  const overMs = sum(slopes.map((one) => one.overMs));
  return { perHour, plusMinus: doubtOf(rest, spread, freedom), overMs, spread, freedom };
}

/** Half of a slope's interval, from the squares of what is off its line. */
function doubtOf(rest: number, spread: number, freedom: number): number {
  return T_95 * Math.sqrt(rest / freedom / spread);
}

function restOf({ plusMinus, spread, freedom }: Slope): number {
  return (plusMinus / T_95) ** 2 * freedom * spread;
}

function blockMeans(points: readonly Point[]): readonly Point[] {
  const size = Math.max(1, Math.ceil(points.length / BLOCKS));
  return inBlocks(points, size).map((block) => {
    return { atMs: mean(block.map(({ atMs }) => atMs)), value: mean(block.map(({ value }) => value)) };
  });
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
