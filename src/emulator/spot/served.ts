import type { Instant } from "../../core/spot.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import { isOpen } from "../world/opening-hours.ts";

/** Which kinds of item a screen gets. */
export interface Served {
  readonly news: boolean;
  readonly ad: boolean;
}

/**
 * What a screen is served at an instant: nothing while it or its location is archived or the location is not approved
 * (F3), no ads while either is not available for them (F4) or the location is closed (F5).
 */
export function servedTo(screen: Screen, location: Location, at: Instant): Served {
  if (screen.archived || location.archived || location.status !== "APPROVED") return { news: false, ad: false };
  const forAds = screen.available_for_ads && location.available_for_ads;
  return { news: true, ad: forAds && isOpen(location.opening_168, location.timezone, at) };
}
