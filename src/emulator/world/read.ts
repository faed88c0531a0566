import type { z } from "zod";
import type { VenueTree } from "../../core/venue-type.ts";
import type { Creative } from "./catalogue.ts";
import { looseEnds, referencesSchema, type WorldProblem } from "./references.ts";
import { type World, worldSchema } from "./schema.ts";

export type WorldReading =
  | { readonly kind: "world"; readonly world: World }
  | { readonly kind: "bad"; readonly problems: readonly WorldProblem[] };

/** A world that an emulator was to start with and that has mistakes. */
export class WorldError extends Error {
  override name = "WorldError";
  readonly problems: readonly WorldProblem[];

  constructor(problems: readonly WorldProblem[]) {
    super(`not a world: ${problems.map(({ path, message }) => `${path}: ${message}`).join("; ")}`);
    this.problems = problems;
  }
}

/**
 * Reads a world out of parsed JSON; a bad one comes with all its problems. `packaged`: the creatives it may also name;
 * `tree`: the venue types that its locations must be of, if any will do `null`.
 */
export function readWorld(
  content: unknown,
  packaged: readonly Creative[],
  tree: VenueTree | null = null,
): WorldReading {
  const read = worldSchema.safeParse(content);
  const misshapen = read.success ? [] : read.error.issues.map(problemOf);
  const problems = [...misshapen, ...looseEnds(referencesSchema.parse(content), packaged, tree)];
  return read.success && problems.length === 0 ? { kind: "world", world: read.data } : { kind: "bad", problems };
}

/** `["spots", 0, "ad"]` becomes `spots[0].ad`. */
export function dotted(path: readonly PropertyKey[]): string {
  const steps = path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`));
  return steps.join("").replace(/^\./, "");
}

function problemOf(issue: z.core.$ZodIssue): WorldProblem {
  return { path: dotted(issue.path) || "(the whole file)", message: issue.message };
}
