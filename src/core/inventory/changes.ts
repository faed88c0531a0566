import {
  type LocationChange,
  type PlacedScreen,
  REVIEWED_AGAIN,
  type ReviewedLocation,
  updateLocation,
} from "./rules.ts";

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

/** What an update does beside what it says. */
export type Effect =
  /** The location goes into review; `again` when it was approved, `because` of these fields. */
  | { readonly kind: "review"; readonly again: boolean; readonly because: readonly string[] }
  /** The screen moves, and its new location goes into review (C2). */
  | { readonly kind: "move"; readonly from: string; readonly to: string }
  /** No ads any more. */
  | { readonly kind: "noAds" }
  /** No spots any more (B14, F3). */
  | { readonly kind: "archived" }
  /** Screens here that are of a type below the old one get no ads (B13). */
  | { readonly kind: "newType" };

/** Whether campaigns may stop by it. */
export function mayStopCampaigns(effect: Effect): boolean {
  return effect.kind !== "review" || effect.again;
}

interface Switchable {
  readonly available_for_ads: boolean;
  readonly archived: boolean;
}

/** What an update does to a location, as far as the contract tells. */
export function locationEffects<L extends ReviewedLocation & Switchable>(
  stored: L,
  change: LocationChange<L>,
): readonly Effect[] {
  const { venue_type_id: type, ...rest } = change;
  // Whether the type is one that a location can have is not the question here.
  const retyped = type !== undefined && type !== stored.venue_type_id;
  const typed = retyped ? { ...stored, venue_type_id: type } : stored;
  const result = updateLocation(typed, rest as LocationChange<L>, { tree: new Map(), allowBareReview: true });
  const because = REVIEWED_AGAIN.filter((field) => change[field] !== undefined && change[field] !== stored[field]);
  const falls = stored.status === "APPROVED" && because.length > 0;
  const rises = stored.status === "DRAFT" && result.kind === "accepted" && result.value.status === "REVIEW";
  return [
    ...(falls || rises ? [{ kind: "review" as const, again: falls, because }] : []),
    ...(retyped && stored.venue_type_id !== null ? [{ kind: "newType" as const }] : []),
    ...switchedOff(stored, change),
  ];
}

/** What an update does to a screen and where it stands. */
export function screenEffects(
  stored: PlacedScreen & Switchable,
  change: { readonly [F in keyof (PlacedScreen & Switchable)]?: (PlacedScreen & Switchable)[F] | undefined },
): readonly Effect[] {
  const to = change.location_id ?? stored.location_id;
  return [
    ...(to === stored.location_id ? [] : [{ kind: "move" as const, from: stored.location_id, to }]),
    ...switchedOff(stored, change),
  ];
}

function switchedOff(
  stored: Switchable,
  change: { readonly [F in keyof Switchable]?: boolean | undefined },
): readonly Effect[] {
  return [
    ...(change.available_for_ads === false && stored.available_for_ads ? [{ kind: "noAds" as const }] : []),
    ...(change.archived === true && !stored.archived ? [{ kind: "archived" as const }] : []),
  ];
}
