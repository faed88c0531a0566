import leven from "leven";

/** The most names compared with, and the longest: a guess may not cost more than the call that it is about. */
const MOST_COMPARED = 1_000;
const LONGEST_COMPARED = 100;

/** The name that was probably meant: the one with the fewest letters to change, at most half of them. */
export function nearest(given: string, names: Iterable<string>): string | null {
  const wanted = given.slice(0, LONGEST_COMPARED).toLowerCase();
  let best: string | null = null;
  let fewest = Math.ceil(wanted.length / 2);
  let compared = 0;
  for (const name of names) {
    if (compared >= MOST_COMPARED) break;
    compared += 1;
    const changes = leven(wanted, name.slice(0, LONGEST_COMPARED).toLowerCase(), { maxDistance: fewest + 1 });
    if (changes > fewest || (changes === fewest && best !== null)) continue;
    best = name;
    fewest = changes;
  }
  return best;
}
