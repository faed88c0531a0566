import type { VenueTree } from "../../core/venue-type.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import { plain, styled, table } from "../text.ts";
import { venueTypeText } from "./location-view.ts";

/** A screen for people. */
export function screenText(screen: Screen, tree: VenueTree | null): string[] {
  const { amount, imps_weekly } = screen;
  const rows: [string, string][] = [
    ["Title", `${screen.title}${screen.archived ? " (archived)" : ""}`],
    ["Location", screen.location_id],
    ["Venue type", venueTypeText(screen.venue_type_id, tree)],
    ["Size", `${screen.width}x${screen.height}`],
    ["Loop", `${screen.loop_duration} s`],
    ["Ads", screen.available_for_ads ? "yes" : "no"],
    ["Amount", amount === null ? "-" : `${amount} ${amount === 1 ? "display" : "displays"}`],
    ["Impressions", imps_weekly === null ? "-" : `${imps_weekly.toLocaleString("en-US")} a week`],
  ];
  return [
    styled("bold", `Screen ${plain(screen.screen_id)}`),
    ...table(
      rows.map(([name, value]) => [name, plain(value)]),
      "  ",
    ),
  ];
}

/** What keeps a screen from spots or ads, and what to do about it; nothing when all is well. `null`: not looked at. */
export function obstacles(screen: Screen, location: Location | null): string[] {
  const { screen_id, location_id } = screen;
  if (screen.archived) return [`It is archived: no spots. spotloop screens update ${screen_id} --archived no`];
  if (location?.archived) return [`Location ${location_id} is archived: no spots.`];
  if (location !== null && location.status !== "APPROVED") {
    return [`No spots yet: location ${location_id} is in ${location.status}, and has to be APPROVED.`];
  }
  if (!screen.available_for_ads) return [`No ads: spotloop screens update ${screen_id} --available-for-ads yes`];
  if (location !== null && !location.available_for_ads) {
    return [`No ads: spotloop locations update ${location_id} --available-for-ads yes`];
  }
  return [];
}
