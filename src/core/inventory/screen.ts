import type { ReviewedLocation } from "./location.ts";
import { accepted, type RuleResult, refused } from "./rule-result.ts";
import { fitsScreen, type VenueTree } from "./venue-type.ts";

/** What the rules look at in a screen, under the contract's names. */
export interface PlacedScreen {
  readonly venue_type_id: string;
  readonly location_id: string;
}

/** How the contract's silences are filled where there are two ways. `onlyOnApproved`: the other side of C1. */
export interface ScreenRules {
  readonly tree: VenueTree;
  readonly onlyOnApproved: boolean;
}

/** Whether an update may need judging against the location: it says where the screen is or of what type (C5). */
export function isPlaced(change: { readonly [F in keyof PlacedScreen]?: unknown }): boolean {
  return change.venue_type_id !== undefined || change.location_id !== undefined;
}

/**
 * Whether a screen can stand at its location, which is `null` when there is none of that id (contract, "Screen"; A7, C1,
 * C4, C5). Judged whenever a screen is created, moved or given a type.
 */
export function placeScreen<S extends PlacedScreen>(
  screen: S,
  location: ReviewedLocation | null,
  { tree, onlyOnApproved }: ScreenRules,
): RuleResult<S> {
  if (location === null) {
    return refused("unprocessable", "unknown_location", "location_id", `there is no location ${screen.location_id}`);
  }
  if (onlyOnApproved && location.status !== "APPROVED") {
    return refused("unprocessable", "location_not_approved", "location_id", `the location is in ${location.status}`);
  }
  if (location.venue_type_id === null) {
    return refused("unprocessable", "location_without_type", "venue_type_id", "the location has no venue type yet");
  }
  if (!fitsScreen(tree, screen.venue_type_id, location.venue_type_id)) {
    const message = `must be ${location.venue_type_id}, the location's, or a child of it`;
    return refused("unprocessable", "outside_location_type", "venue_type_id", message);
  }
  return accepted(screen);
}

/** Whether a screen is of a type that its location no longer has; such a screen gets no ads (B13). */
export function isMismatched(screen: PlacedScreen, location: ReviewedLocation, tree: VenueTree): boolean {
  return location.venue_type_id !== null && !fitsScreen(tree, screen.venue_type_id, location.venue_type_id);
}
