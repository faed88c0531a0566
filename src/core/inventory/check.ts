import { HOURS_OF_WEEK } from "../opening-hours.ts";
import {
  type DecidedApproval,
  type FieldError,
  type LocationChange,
  lacksMessage,
  type PlacedScreen,
  placeScreen,
  type Rejection,
  type ReviewedLocation,
  rejectApproval,
  updateRefusals,
  type VenueTree,
  venueTypeName,
} from "./rules.ts";

/** The fields of a location to be created or changed, under the contract's names; absent ones are not sent. */
export interface LocationFields {
  readonly location_id?: string | undefined;
  readonly title?: string | undefined;
  readonly venue_type_id?: string | undefined;
  readonly lat?: number | undefined;
  readonly long?: number | undefined;
  readonly opening_168?: readonly boolean[] | undefined;
  readonly visitors_7?: readonly number[] | undefined;
}

/** The fields of a screen to be created or changed. */
export interface ScreenFields {
  readonly screen_id?: string | undefined;
  readonly title?: string | undefined;
  readonly venue_type_id?: string | undefined;
  readonly location_id?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly loop_duration?: number | undefined;
  readonly amount?: number | null | undefined;
  readonly imps_weekly?: number | null | undefined;
}

/** All that can be told to be wrong with a location before the service is asked. `tree` is null where it is not known. */
export function locationComplaints(sent: LocationFields, tree: VenueTree | null): readonly FieldError[] {
  return [
    ...about("location_id", sent.location_id, identifierFlaw),
    ...about("title", sent.title, blank),
    ...about("venue_type_id", sent.venue_type_id, (id) => (tree === null ? null : locationTypeFlaw(id, tree))),
    ...about("lat", sent.lat, between(-90, 90)),
    ...about("long", sent.long, between(-180, 180)),
    ...about("opening_168", sent.opening_168, hoursFlaw),
    ...about("visitors_7", sent.visitors_7, visitorsFlaw),
  ];
}

/** The same for an update, with what the rules of review have against it as the location now is (B5, B6, B10, B11). */
export function locationUpdateComplaints<L extends ReviewedLocation>(
  stored: L,
  change: LocationChange<L> & LocationFields,
  tree: VenueTree | null,
): readonly FieldError[] {
  const rules = { tree: tree ?? new Map(), allowBareReview: false };
  // The venue type is looked at below, in more words.
  const refusals = updateRefusals(stored, change, rules).filter(({ code }) => code !== "not_level_2");
  return [...locationComplaints(change, tree), ...refusals.flatMap(({ complaints }) => complaints)];
}

/**
 * All that can be told to be wrong with a screen. `location` is where it is to stand: null for none of that id,
 * undefined where that is not known or does not change.
 */
export function screenComplaints(
  sent: ScreenFields,
  placed: PlacedScreen | null,
  location: ReviewedLocation | null | undefined,
  tree: VenueTree | null,
): readonly FieldError[] {
  return [
    ...about("screen_id", sent.screen_id, identifierFlaw),
    ...about("title", sent.title, blank),
    ...placementComplaints(placed, location, tree),
    ...about("width", sent.width, wholeFrom(1)),
    ...about("height", sent.height, wholeFrom(1)),
    ...about("loop_duration", sent.loop_duration, wholeFrom(1)),
    ...about("amount", sent.amount ?? undefined, wholeFrom(1)),
    ...about("imps_weekly", sent.imps_weekly ?? undefined, wholeFrom(0)),
  ];
}

/** What speaks against rejecting a creative: a decision that was made, no reason, or `CUSTOM` without a message. */
export function rejectionComplaints(approval: DecidedApproval | null, rejection: Rejection): readonly FieldError[] {
  const { reasons, message } = rejection;
  if (!Array.isArray(reasons)) return [{ field: "rejection_reasons", message: "must be a list of reasons" }];
  if (message !== null && typeof message !== "string") return [{ field: "custom_message", message: NO_TEXT }];
  const result = approval === null ? null : rejectApproval(approval, { ...rejection, message: "-" });
  return [
    ...(result === null || result.kind === "accepted" ? [] : result.complaints),
    ...(reasons.length === 0 ? [{ field: "rejection_reasons", message: "needs one reason or more" }] : []),
    ...(lacksMessage(rejection) ? [{ field: "custom_message", message: "is required with the reason CUSTOM" }] : []),
  ];
}

function placementComplaints(
  placed: PlacedScreen | null,
  location: ReviewedLocation | null | undefined,
  tree: VenueTree | null,
): readonly FieldError[] {
  if (placed === null || location === undefined) return [];
  // Without the tree only the location's own type is sure to fit, so the rest is left to the service.
  if (location !== null && (tree === null || placed.venue_type_id === location.venue_type_id)) return [];
  if (location?.venue_type_id != null && tree !== null) {
    const flaw = screenTypeFlaw(placed.venue_type_id, location.venue_type_id, tree);
    return flaw === null ? [] : [{ field: "venue_type_id", message: flaw }];
  }
  const result = placeScreen(placed, location, { tree: tree ?? new Map(), onlyOnApproved: false });
  return result.kind === "accepted" ? [] : result.complaints;
}

/** What programs without types send may be of another type than is declared. */
function about<T>(field: string, value: T | undefined, flawOf: (value: T) => string | null): readonly FieldError[] {
  if (value === null) return [{ field, message: "must not be null" }];
  const message = value === undefined ? null : flawOf(value);
  return message === null ? [] : [{ field, message }];
}

const NO_TEXT = "must be a text";

function blank(text: string): string | null {
  if (typeof text !== "string") return NO_TEXT;
  return text.trim() === "" ? "must not be blank" : null;
}

/** What no path can name could be created and never be read (A17). */
function identifierFlaw(text: string): string | null {
  return text === "." || text === ".." ? "must not be . or .." : blank(text);
}

function between(least: number, most: number) {
  return (value: number) => {
    if (typeof value !== "number") return "must be a number";
    return value >= least && value <= most ? null : `must be ${least} to ${most}, and is ${value}`;
  };
}

function wholeFrom(least: number) {
  return (value: number) =>
    Number.isInteger(value) && value >= least ? null : `must be a whole number from ${least}, and is ${value}`;
}

function lengthFlaw({ length }: readonly unknown[], wanted: number, what: string): string | null {
  return length === wanted ? null : `must be ${wanted} ${what}; there ${length === 1 ? "is" : "are"} ${length}`;
}

function hoursFlaw(hours: readonly boolean[]): string | null {
  const isList = Array.isArray(hours) && hours.every((open) => typeof open === "boolean");
  if (!isList) return "must be true or false for each hour";
  return lengthFlaw(hours, HOURS_OF_WEEK, "hours, Monday 00:00 first");
}

function visitorsFlaw(visitors: readonly number[]): string | null {
  if (!Array.isArray(visitors)) return "must be a list of whole numbers";
  if (!visitors.every((count) => Number.isInteger(count) && count >= 0)) return "must be whole numbers from 0";
  return lengthFlaw(visitors, 7, "numbers, Monday first");
}

function locationTypeFlaw(id: string, tree: VenueTree): string | null {
  const type = tree.get(id);
  if (type === undefined) return `there is no venue type ${id}`;
  if (type.level === 2) return null;
  const parent = type.parent_id === null ? undefined : tree.get(type.parent_id);
  const instead = type.level === 3 && parent !== undefined ? `, such as ${parent.id} ${parent.label}` : "";
  return `${id} is ${venueTypeName(tree, id)}, on level ${type.level}; a location takes one of level 2${instead}`;
}

function screenTypeFlaw(id: string, locationTypeId: string, tree: VenueTree): string | null {
  const type = tree.get(id);
  if (type === undefined) return `there is no venue type ${id}`;
  if (id === locationTypeId || type.parent_id === locationTypeId) return null;
  const needed = `${locationTypeId} ${venueTypeName(tree, locationTypeId)}, its location's, or a child of that`;
  return `${id} is ${venueTypeName(tree, id)}; this screen needs ${needed}`;
}
