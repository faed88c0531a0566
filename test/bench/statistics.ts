export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The middle of some values, the mean of the two middle ones where their number is even. Of none it is NaN. */
export function median(values: readonly number[]): number {
  const sorted = inOrder(values);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

/** The smallest and the largest value. */
export function range(values: readonly number[]): readonly [least: number, most: number] {
  const sorted = inOrder(values);
  return [sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN];
}

/** The middle of the ratios of what was measured in the same round: a slow moment of the machine slows both. */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, round) => value / (others[round] ?? Number.NaN)));
}

/** The smallest value that such a share of the values does not exceed, as in 0.99. */
export function percentile(values: readonly number[], share: number): number {
  return inOrder(values)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? Number.NaN;
}

/** Values in blocks of so many, the last of what is left. */
export function inBlocks<T>(values: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  );
}

function inOrder(values: readonly number[]): readonly number[] {
  return [...values].sort((one, other) => one - other);
}
