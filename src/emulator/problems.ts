import leven from "leven";
import { z } from "zod";

/**
 * An object with these members and no others; the complaint about another one names the member that was meant, and where
 * none was, unless `unlisted`, all that there are.
 */
export function knownKeys<S extends z.ZodRawShape>(shape: S, listed: "listed" | "unlisted" = "listed") {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys" ? complaintAbout(issue.keys, known, listed === "listed") : undefined,
  });
}

function complaintAbout(keys: readonly string[], known: readonly string[], isListed: boolean): string {
  const told = keys.map((key) => {
    const meant = nearest(key, known);
    return meant === null ? `"${key}"` : `"${key}" (did you mean "${meant}"?)`;
  });
  const unknown = `Unrecognized key${keys.length === 1 ? "" : "s"}: ${told.join(", ")}`;
  const isMeant = keys.some((key) => nearest(key, known) !== null);
  return isMeant || !isListed ? unknown : `${unknown}; known are ${known.join(", ")}`;
}

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

/** The complaint about a value that is none of `names`: all of them, and the one that was probably meant. */
export function mustBeOneOf(names: readonly string[], given: unknown): string {
  const meant = typeof given === "string" ? nearest(given, names) : null;
  return `must be one of ${names.join(", ")}${meant === null ? "" : `; did you mean "${meant}"?`}`;
}

/** A mistake in a world file: `path` as in `organizations[0].screens[2].location_id`. */
export interface WorldProblem {
  readonly path: string;
  readonly message: string;
}

/** A file that an emulator was to start with and that has mistakes. */
export class WorldFileError extends Error {
  readonly problems: readonly WorldProblem[];

  constructor(wanted: string, problems: readonly WorldProblem[]) {
    super(`not ${wanted}: ${problems.map(({ path, message }) => `${path}: ${message}`).join("; ")}`);
    this.problems = problems;
  }
}

/** The most that what is to be answered may nest; beyond it nobody can read it, and nothing can write it. */
const DEEPEST_JSON = 50;

export function isShallow(value: unknown, levels = DEEPEST_JSON): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}

/** `["spots", 0, "ad"]` becomes `spots[0].ad`. */
export function dotted(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return steps.join("").replace(/^\./, "");
}

/** What a program hands over, as a schema reads it. Throws a `TypeError` that names every mistake and where it is. */
export function insisted<T>(what: string, schema: z.ZodType<T>, given: unknown): T {
  const reading = schema.safeParse(given);
  if (reading.success) return reading.data;
  const told = reading.error.issues.map(({ path, message }) =>
    path.length > 0 ? `${dotted(path)}: ${message}` : message,
  );
  throw new TypeError(`${what}: ${told.join("; ")}`);
}

export function problemOf(issue: z.core.$ZodIssue): WorldProblem {
  return { path: dotted(issue.path) || "(the whole file)", message: issue.message };
}
