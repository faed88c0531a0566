/** Of so many pops a URL is compared with the newest. */
const MOST_COMPARED = 10_000;
/** With less than this in common it is not an altered URL but some other one. */
const LEAST_COMMON = "/pop/".length + 4;

/** Where an unknown proof-of-play URL departs from the one it comes nearest to (F10, F11). */
export function departure(path: string, known: readonly string[]): string | null {
  let best = "";
  let longest = LEAST_COMMON - 1;
  for (const candidate of known.slice(-MOST_COMPARED)) {
    const length = commonLength(path, candidate);
    if (length <= longest) continue;
    [best, longest] = [candidate, length];
  }
  if (best === "") return null;
  return `it departs from ${best} at character ${longest + 1}: ${tail(best, longest)} was given out`;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function tail(path: string, at: number): string {
  return at === path.length ? "nothing more" : `"${path.slice(at, at + 12)}"`;
}
