import { isMismatched, missingForReview, type VenueTree, venueTypeName } from "../../core/inventory/rules.ts";
import { DAYS, hourOfWeek, isOpen, nextChange, type Opening, openingText } from "../../core/opening-hours.ts";
import type { Instant } from "../../core/spot.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import type { ApprovalAnswer } from "../../wire/inventory-answers.ts";
import { plain, styled, table } from "../text.ts";

/** A location for people. */
export function locationText(location: Location, tree: VenueTree | null): string[] {
  const { opening_168, visitors_7 } = location;
  const rows: [string, string][] = [
    ["Title", location.title],
    ["Status", `${location.status}${location.archived ? ", archived" : ""}`],
    ["Ads", location.available_for_ads ? "yes" : "no"],
    ["Venue type", venueTypeText(location.venue_type_id, tree)],
    ["Position", positionText(location)],
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
  return stepsFor(location).map(plain);
}

function stepsFor(location: Location): string[] {
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
function venueTypeText(id: string | null, tree: VenueTree | null): string {
  if (id === null) return "-";
  return tree?.has(id) ? `${id} ${venueTypeName(tree, id)}` : id;
}

/** Half of a position is stored all the same, and to be seen. */
function positionText({ lat, long }: Location): string {
  if (lat === null) return long === null ? "-" : `longitude ${long}, no latitude yet`;
  return long === null ? `latitude ${lat}, no longitude yet` : `${lat}, ${long}`;
}

function placeText({ address, zip, city, region, country, timezone }: Location): string {
  const place = [address, [zip, city].filter((part) => part !== null).join(" "), region, country];
  const text = place.filter((part) => part !== null && part !== "").join(", ");
  return [text, timezone === null ? "" : `(${timezone})`].join(" ").trim() || "-";
}

/** A week of opening hours as a picture: a line for each day, a mark for each hour. */
function weekPicture(hours: readonly boolean[]): string[] {
  return [
    "     0     6     12    18    24",
    ...DAYS.map((day, index) => {
      const open = hours.slice(index * 24, index * 24 + 24);
      return `${day}  ${open.map((hour) => (hour ? "#" : ".")).join("")}`;
    }),
  ];
}

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

/** What else decides whether a screen gets spots and ads, beside the screen and its location. */
export interface PlaceFacts {
  /** The service's time. */
  readonly now: Instant;
  /** The venue types, where they are known. */
  readonly tree: VenueTree | null;
}

/**
 * What keeps a screen from spots, or all that keeps it from ads now, and what to do about it (F3-F5, B13); nothing when
 * all is well. `null`: not looked at.
 */
export function obstacles(screen: Screen, location: Location | null, facts: PlaceFacts | null = null): string[] {
  return obstaclesOf(screen, location, facts).map(plain);
}

function obstaclesOf(screen: Screen, location: Location | null, facts: PlaceFacts | null): string[] {
  const { screen_id, location_id } = screen;
  if (screen.archived) return [`It is archived: no spots. spotloop screens update ${screen_id} --archived no`];
  if (location?.archived) return [`Location ${location_id} is archived: no spots.`];
  if (location !== null && location.status !== "APPROVED") {
    return [`No spots yet: location ${location_id} is in ${location.status}, and has to be APPROVED.`];
  }
  return [
    ...(screen.available_for_ads ? [] : [`No ads: spotloop screens update ${screen_id} --available-for-ads yes`]),
    ...(location === null || location.available_for_ads
      ? []
      : [`No ads: spotloop locations update ${location_id} --available-for-ads yes`]),
    ...(location === null || facts === null ? [] : placeObstacles(screen, location, facts)),
  ];
}

/** What the location says by its type and its hours. */
function placeObstacles(screen: Screen, location: Location, { now, tree }: PlaceFacts): string[] {
  const { venue_type_id: type, screen_id } = screen;
  const isMisfit = tree !== null && isMismatched(screen, location, tree);
  const closed = closedText(location, now);
  const mend = `spotloop screens update ${screen_id} --venue-type ${location.venue_type_id}`;
  return [
    ...(isMisfit ? [`No ads: ${type} does not belong to the location's ${location.venue_type_id}. ${mend}`] : []),
    ...(closed === null ? [] : [`No ads now: location ${location.location_id} is ${closed}.`]),
  ];
}

/**
 * `closed until Monday 08:00 (Europe/Berlin)`, by the clocks where the location stands (B16); null while it is open, and
 * where its hours or its zone are not known.
 */
function closedText({ opening_168, timezone }: Location, now: Instant): string | null {
  if (opening_168 === null || timezone === null || hourOfWeek(now, timezone) === null) return null;
  const opening: Opening = { hours: opening_168, timeZone: timezone };
  if (isOpen(opening, now)) return null;
  const opensAt = nextChange(opening, now);
  return opensAt === null ? "closed at all hours" : `closed until ${dayAndTime(opensAt, timezone)} (${timezone})`;
}

function dayAndTime(at: Instant, timeZone: string): string {
  const shape = { weekday: "long", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  const parts = new Intl.DateTimeFormat("en-GB", { ...shape, timeZone }).formatToParts(at);
  const part = (type: string) => parts.find((one) => one.type === type)?.value ?? "";
  return `${part("weekday")} ${part("hour")}:${part("minute")}`;
}

/** A creative approval request for people. */
export function carText(car: ApprovalAnswer): string[] {
  const { item } = car;
  const rows: [string, string][] = [
    ["Status", car.status],
    ["Advertiser", car.advertiser_name ?? "-"],
    ["Cities", car.cities.join(", ") || "-"],
    ["Countries", car.countries.join(", ") || "-"],
    ["Created", car.created_on ?? "-"],
    ["Creative", item?.title ?? "-"],
    ["Type", [item?.mimeType, sizeText(item?.size ?? null)].filter(Boolean).join(", ") || "-"],
    ["Size", item?.width == null || item.height === null ? "-" : `${item.width}x${item.height}`],
    ["Duration", durationText(item?.duration ?? null)],
    ["Address", item?.url ?? "-"],
    ...(car.status === "rejected" ? decision(car) : []),
  ];
  return [
    styled("bold", `CAR ${plain(car.car_id)}`),
    ...table(
      rows.map(([name, value]) => [name, plain(value)]),
      "  ",
    ),
  ];
}

/** A duration from either kind of service: below 1000 it is taken for seconds, else for milliseconds (E6). */
function durationText(duration: number | null): string {
  if (duration === null || duration <= 0) return "-";
  return `${duration < 1000 ? duration : duration / 1000} s`;
}

function decision({ rejection_reasons, custom_message }: ApprovalAnswer): [string, string][] {
  return [
    ["Reasons", rejection_reasons?.join(", ") || "-"],
    ["Message", custom_message ?? "-"],
  ];
}

function sizeText(sizeBytes: number | null): string | null {
  if (sizeBytes === null) return null;
  return sizeBytes < 1e6 ? `${Math.ceil(sizeBytes / 1e3)} kB` : `${(sizeBytes / 1e6).toFixed(1)} MB`;
}
