import { isMismatched } from "../../core/screen.ts";
import type { Instant } from "../../core/spot.ts";
import type { VenueTree } from "../../core/venue-type.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import { isOpen } from "../world/opening-hours.ts";

/** Which kinds of item a screen gets. */
export interface Served {
  readonly news: boolean;
  readonly ad: boolean;
}

/** How the network serves. `respectHours`: no ads outside the opening hours (F5). */
export interface Serving {
  readonly tree: VenueTree;
  readonly respectHours: boolean;
}

/**
 * What a screen is served at an instant: nothing while it or its location is archived or the location is not approved
 * (F3), no ads while either is not available for them (F4), the location is closed (F5) or no longer of the screen's type
 * (B13).
 */
export function servedTo(screen: Screen, location: Location, at: Instant, serving: Serving): Served {
  if (screen.archived || location.archived || location.status !== "APPROVED") return { news: false, ad: false };
  const forAds = screen.available_for_ads && location.available_for_ads;
  const open = !serving.respectHours || isOpen(location.opening_168, location.timezone, at);
  return { news: true, ad: forAds && open && !isMismatched(screen, location, serving.tree) };
}
