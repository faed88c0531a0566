import type { z } from "zod";
import type { VenueTree } from "../../core/venue-type.ts";
import { venueTypesSchema } from "../../wire/venue-type.ts";
import { dotted } from "../world/read.ts";
import type { WorldProblem } from "../world/references.ts";

type VenueTypes = z.infer<typeof venueTypesSchema>;

export type VenueTypesReading =
  | { readonly kind: "tree"; readonly tree: VenueTree }
  | { readonly kind: "bad"; readonly problems: readonly WorldProblem[] };

/** Venue types that an emulator was to start with and that have mistakes. */
export class VenueTypesError extends Error {
  override name = "VenueTypesError";
  readonly problems: readonly WorldProblem[];

  constructor(problems: readonly WorldProblem[]) {
    super(`not a tree of venue types: ${problems.map(({ path, message }) => `${path}: ${message}`).join("; ")}`);
    this.problems = problems;
  }
}

/** More than the public scheme will ever have; a file beyond this is something else. */
const MOST_VENUE_TYPES = 10_000;

/** Reads parsed JSON, a list as the service answers it; a bad one comes with all its problems (D1). */
export function readVenueTypes(content: unknown): VenueTypesReading {
  const read = venueTypesSchema.min(1).max(MOST_VENUE_TYPES).safeParse(content);
  if (!read.success) {
    const problems = read.error.issues.map(({ path, message }) => ({
      path: dotted(path) || "(the whole file)",
      message,
    }));
    return { kind: "bad", problems };
  }
  const tree: VenueTree = new Map(read.data.map((type) => [type.id, type]));
  const problems = [...looseEnds(read.data, tree)];
  return problems.length === 0 ? { kind: "tree", tree } : { kind: "bad", problems };
}

function* looseEnds(types: VenueTypes, tree: VenueTree): Generator<WorldProblem> {
  const seen = new Set<string>();
  for (const [index, { id, parent_id, level, selectable }] of types.entries()) {
    if (seen.has(id)) yield { path: `[${index}].id`, message: `${id} is there already` };
    seen.add(id);
    if (selectable !== level > 1) yield { path: `[${index}].selectable`, message: "is true for levels 2 and 3 only" };
    const parentLevel = parent_id === null ? 0 : tree.get(parent_id)?.level;
    if (parentLevel === undefined)
      yield { path: `[${index}].parent_id`, message: `there is no venue type ${parent_id}` };
    else if (parentLevel !== level - 1) {
      yield { path: `[${index}].parent_id`, message: `must be of level ${level - 1}, which this one's is not` };
    }
  }
}
