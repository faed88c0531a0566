import { missingForReview } from "../../core/location.ts";
import { openingText } from "../../core/opening-hours.ts";
import { type VenueTree, venueTypeName } from "../../core/venue-type.ts";
import type { Location } from "../../wire/inventory.ts";
import { plain, styled, table } from "../text.ts";
import { weekPicture } from "./week.ts";

/** A location for people. */
export function locationText(location: Location, tree: VenueTree | null): string[] {
  const { opening_168, visitors_7 } = location;
  const rows: [string, string][] = [
    ["Title", location.title],
    ["Status", `${location.status}${location.archived ? ", archived" : ""}`],
    ["Ads", location.available_for_ads ? "yes" : "no"],
    ["Venue type", venueTypeText(location.venue_type_id, tree)],
    ["Position", location.lat === null || location.long === null ? "-" : `${location.lat}, ${location.long}`],
    ["Place", placeText(location)],
    ["E-mail", location.email ?? "-"],
    ["Phone", location.phone ?? "-"],
    ["Visitors", visitors_7 === null ? "-" : `${visitors_7.join(", ")} (Monday first)`],
    ["Open", opening_168 === null ? "-" : openingText(opening_168)],
  ];
  const picture = opening_168 === null ? [] : weekPicture(opening_168);
  return [
    styled("bold", `Location ${plain(location.location_id)}`),
    ...table(
      rows.map(([name, value]) => [name, plain(value)]),
      "  ",
    ),
    ...picture.map((line) => `    ${line}`),
    ...nextSteps(location),
  ];
}

/** What stands between a location and ads, and whose turn it is. */
export function nextSteps(location: Location): string[] {
  const missing = missingForReview(location);
  if (location.archived) return ["It is archived: its screens get no spots."];
  switch (location.status) {
    case "DRAFT":
      if (missing.length === 0) return [`Next: spotloop locations submit ${location.location_id}`];
      return [`For the review it lacks ${missing.map((field) => REVIEW_FLAGS[field]).join(", ")}.`];
    case "REVIEW":
      return ["The operator decides now; until then its screens get no spots."];
    case "APPROVED":
      if (location.available_for_ads) return [];
      return [`No ads: spotloop locations update ${location.location_id} --available-for-ads yes`];
  }
}

const REVIEW_FLAGS: Readonly<Record<string, string>> = {
  venue_type_id: "--venue-type",
  lat: "--lat",
  long: "--long",
  opening_168: "--open",
  visitors_7: "--visitors",
};

/** `40101 Lobby (Gyms)`: labels repeat across the tree, so they come with their parent's (D2). */
export function venueTypeText(id: string | null, tree: VenueTree | null): string {
  if (id === null) return "-";
  return tree?.has(id) ? `${id} ${venueTypeName(tree, id)}` : id;
}

function placeText({ address, zip, city, region, country, timezone }: Location): string {
  const place = [address, [zip, city].filter((part) => part !== null).join(" "), region, country];
  const text = place.filter((part) => part !== null && part !== "").join(", ");
  return [text, timezone === null ? "" : `(${timezone})`].join(" ").trim() || "-";
}
