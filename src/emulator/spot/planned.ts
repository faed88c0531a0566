import { z } from "zod";
import type { FieldError } from "../../core/inventory/rules.ts";
import { type Inventory, screenKey, screensCalled } from "../inventory/inventory.ts";
import { isShallow, nearest } from "../problems.ts";

/**
 * A content item that is written out in full, as the spot endpoint would send it but without its `pop`. The values are
 * taken as they come and further members are kept, so that malformed items can be sent too (F16, F18).
 */
const wholeItemSchema = z
  .looseObject({
    id: z.string(),
    title: z.string(),
    mimeType: z.string(),
    width: z.number(),
    height: z.number(),
    duration: z.number(),
    url: z.string().min(1),
    newsType: z.string().optional(),
  })
  .refine((item) => isShallow(item), "nests too deep");
export type WholeItem = z.infer<typeof wholeItemSchema>;

const plannedItemSchema = z.union([z.null(), z.string(), wholeItemSchema], {
  error: "must be null, the name of a creative, or a whole content item without pop",
});
export type PlannedItem = z.infer<typeof plannedItemSchema>;

/** A spot that a screen is to get next. What is left out is as the rotation would have it; `null` is none. */
export const plannedSpotSchema = z.strictObject({
  newsFirst: z.boolean().optional(),
  billable: z.boolean().optional(),
  news: plannedItemSchema.optional(),
  ad: plannedItemSchema.optional(),
});
export type PlannedSpot = z.infer<typeof plannedSpotSchema>;

/** The most spots that wait for one screen: more than four days of them at one every 15 s are a mistake. */
export const MOST_PLANNED = 25_000;

/** What planning looks at and changes of a network's state; of `planned`, `screenKey` is the key. */
interface PlanningState {
  readonly inventory: Inventory;
  readonly planned: Map<string, PlannedSpot[]>;
}

/** What became of spots that were to be next on a screen. */
export type Planning =
  | { readonly kind: "planned"; readonly waiting: number }
  | { readonly kind: "unknown-screen" }
  | { readonly kind: "ambiguous-screen" }
  | { readonly kind: "too-many" }
  | { readonly kind: "unknown-creative"; readonly errors: readonly FieldError[] };

/**
 * Puts spots after those that wait for a screen already; all of them or, when something is wrong, none. `orgToken`: whose
 * screen, where several organizations have one of that id.
 */
export function planNext(
  { state }: { readonly state: PlanningState },
  { orgToken, screenId }: { readonly orgToken?: string | undefined; readonly screenId: string },
  spots: readonly PlannedSpot[],
): Planning {
  const [owned, ...others] = screensCalled(state.inventory, screenId).filter(
    ({ organization }) => (orgToken ?? organization.orgToken) === organization.orgToken,
  );
  if (owned === undefined) return { kind: "unknown-screen" };
  if (others.length > 0) return { kind: "ambiguous-screen" };
  const errors = spots.flatMap((spot, index) => unknownCreatives(spot, `spots[${index}]`, state.inventory.creatives));
  if (errors.length > 0) return { kind: "unknown-creative", errors };
  const key = screenKey(owned.organization.orgToken, screenId);
  const waiting = state.planned.get(key) ?? [];
  if (waiting.length + spots.length > MOST_PLANNED) return { kind: "too-many" };
  state.planned.set(key, [...waiting, ...spots]);
  return { kind: "planned", waiting: waiting.length + spots.length };
}

function unknownCreatives(spot: PlannedSpot, path: string, known: ReadonlyMap<string, unknown>): FieldError[] {
  return (["news", "ad"] as const).flatMap((kind) => {
    const named = spot[kind];
    if (typeof named !== "string" || known.has(named)) return [];
    const meant = nearest(named, known.keys());
    const message = `there is no creative ${named}${meant === null ? "" : `; did you mean "${meant}"?`}`;
    return [{ field: `${path}.${kind}`, message }];
  });
}
