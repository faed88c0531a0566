/** One field that is not as it is wanted. */
export interface Difference {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}

/** How something stored differs from what is wanted of it, in the fields that are wanted; absent ones are not. */
export function differences(stored: object, wanted: object): readonly Difference[] {
  const before: Readonly<Record<string, unknown>> = { ...stored };
  return Object.entries(wanted)
    .filter(([field, to]) => to !== undefined && !isSame(before[field], to))
    .map(([field, to]) => ({ field, from: before[field] ?? null, to }));
}

/** Numbers, texts and lists of them by value; absent and null are the same (A11). */
function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((entry, index) => isSame(entry, other[index]));
  }
  return (one ?? null) === (other ?? null);
}
