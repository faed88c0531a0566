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
/** Of Student's t for the degrees of freedom that so many blocks leave (22); with fewer it is larger still. */
const T_95 = 2.07;
const HOUR_MS = 3_600_000;

/** The straight line that fits best (least squares), through the means of blocks of time. NaN for fewer than 3 points. */
export function slopeOf(points: readonly Point[]): Slope {
  const means = blockMeans(points);
  const count = means.length;
  const meanAt = mean(means.map(({ atMs }) => atMs));
  const meanValue = mean(means.map(({ value }) => value));
  const spread = means.reduce((sum, { atMs }) => sum + (atMs - meanAt) ** 2, 0);
  const slope = means.reduce((sum, { atMs, value }) => sum + (atMs - meanAt) * (value - meanValue), 0) / spread;
  const rest = means.reduce((sum, { atMs, value }) => sum + (value - meanValue - slope * (atMs - meanAt)) ** 2, 0);
  const error = Math.sqrt(rest / (count - 2) / spread);
  const overMs = (points.at(-1)?.atMs ?? 0) - (points[0]?.atMs ?? 0);
  if (count < 3) return { perHour: Number.NaN, plusMinus: Number.NaN, overMs };
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
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
