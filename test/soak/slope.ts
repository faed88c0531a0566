import { sum } from "../bench/statistics.ts";

/** How a figure moves with time: per hour, and how far off that may be (95 %). */
export interface Slope {
  readonly perHour: number;
  readonly plusMinus: number;
  /** The time that it was looked at. */
  readonly overMs: number;
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
 * How steep the straight lines are that fit best (least squares), through the means of blocks of time: all pieces are of one
 * slope, and each begins at a height of its own, since a player was started anew for it. NaN for fewer than 3 blocks a piece.
 */
export function slopeOf(pieces: readonly (readonly Point[])[]): Slope {
  const means = pieces.map(blockMeans).map((blocks) => {
    const [meanAt, meanValue] = [mean(blocks.map(({ atMs }) => atMs)), mean(blocks.map(({ value }) => value))];
    return blocks.map(({ atMs, value }) => ({ atMs: atMs - meanAt, value: value - meanValue }));
  });
  const all = means.flat();
  const spread = sum(all.map(({ atMs }) => atMs ** 2));
  const slope = sum(all.map(({ atMs, value }) => atMs * value)) / spread;
  const rest = sum(all.map(({ atMs, value }) => (value - slope * atMs) ** 2));
  const error = Math.sqrt(rest / (all.length - means.length - 1) / spread);
  const overMs = sum(pieces.map((points) => (points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0)));
  if (all.length < 3 * means.length) return { perHour: Number.NaN, plusMinus: Number.NaN, overMs };
  return { perHour: slope * HOUR_MS, plusMinus: T_95 * error * HOUR_MS, overMs };
}

function blockMeans(points: readonly Point[]): readonly Point[] {
  const size = Math.max(1, Math.ceil(points.length / BLOCKS));
  return Array.from({ length: Math.ceil(points.length / size) }, (_, index) => {
    const block = points.slice(index * size, (index + 1) * size);
    return { atMs: mean(block.map(({ atMs }) => atMs)), value: mean(block.map(({ value }) => value)) };
  });
}

function mean(values: readonly number[]): number {
  return sum(values) / values.length;
}
