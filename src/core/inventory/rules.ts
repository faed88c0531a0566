/** A place in the three-level hierarchy by which locations and screens are classified (contract, "Venue type"). */
export interface VenueType {
  readonly id: string;
  readonly label: string;
  /** `null` on level 1. */
  readonly parent_id: string | null;
  /** 1 is a category, 2 a venue type, 3 a sub-venue type. */
  readonly level: 1 | 2 | 3;
  /** Whether a location or screen can have it: levels 2 and 3. */
  readonly selectable: boolean;
  readonly description: string | null;
}

/** The hierarchy by id. */
export type VenueTree = ReadonlyMap<string, VenueType>;

/** Whether a location can be of this type: it must be on level 2. */
export function fitsLocation(tree: VenueTree, id: string): boolean {
  return tree.get(id)?.level === 2;
}

/** Whether a screen of one type can stand at a location of another: it must be the same one or a child of it. */
export function fitsScreen(tree: VenueTree, id: string, locationTypeId: string): boolean {
  return tree.has(id) && (id === locationTypeId || tree.get(id)?.parent_id === locationTypeId);
}

/** A type's name for people: labels on level 3 repeat across the tree, so they come with their parent's (D2). */
export function venueTypeName(tree: VenueTree, id: string): string {
  const type = tree.get(id);
  if (type === undefined) return id;
  const parent = type.level === 3 && type.parent_id !== null ? tree.get(type.parent_id) : undefined;
  return parent === undefined ? type.label : `${type.label} (${parent.label})`;
}

/** Where a location stands in the operator's review (contract, "Location status"). */
export type LocationStatus = "DRAFT" | "REVIEW" | "APPROVED";

/** What the rules look at in a location, under the contract's names; `null` is not known yet. */
export interface ReviewedLocation {
  readonly venue_type_id: string | null;
  readonly lat: number | null;
  readonly long: number | null;
  readonly opening_168: readonly boolean[] | null;
  readonly visitors_7: readonly number[] | null;
  readonly status: LocationStatus;
  readonly available_for_ads: boolean;
}

/** What an update sends, its types and ranges already checked; absent fields stay as they are. */
export type LocationChange<L extends ReviewedLocation> = { readonly [F in keyof L]?: L[F] | undefined };

/** How the contract's silences are filled where there are two ways. `allowBareReview`: the other side of B4. */
export interface LocationRules {
  readonly tree: VenueTree;
  readonly allowBareReview: boolean;
}

/** Without these a location stays a draft (contract, "Required for Review"). */
export const REQUIRED_FOR_REVIEW = ["venue_type_id", "lat", "long", "opening_168", "visitors_7"] as const;

/** A change of these sends an approved location back to the operator. */
export const REVIEWED_AGAIN = ["venue_type_id", "lat", "long"] as const;

/** What a location still lacks for its review. */
export function missingForReview(location: ReviewedLocation): readonly string[] {
  return REQUIRED_FOR_REVIEW.filter((field) => location[field] === null);
}

/** A new location, its status by what it brings along (B3, B9); `L` as it would be stored. */
export function createLocation<L extends ReviewedLocation>(location: L, { tree }: LocationRules): RuleResult<L> {
  const misfit = typeMisfit(location, tree);
  if (misfit !== null) return misfit;
  const status = missingForReview(location).length === 0 ? "REVIEW" : "DRAFT";
  return accepted({ ...location, status, available_for_ads: false });
}

/** A location after an update, or why the whole update is refused (B3-B6, B8, B10-B13; A13). */
export function updateLocation<L extends ReviewedLocation>(
  stored: L,
  change: LocationChange<L>,
  rules: LocationRules,
): RuleResult<L> {
  const { updated, refusals } = judgeUpdate(stored, change, rules);
  return refusals[0] ?? accepted(updated);
}

/** All that speaks against an update, not only what it is refused for first; none when it can be done. */
export function updateRefusals<L extends ReviewedLocation>(
  stored: L,
  change: LocationChange<L>,
  rules: LocationRules,
): readonly Refusal[] {
  return judgeUpdate(stored, change, rules).refusals;
}

function judgeUpdate<L extends ReviewedLocation>(stored: L, change: LocationChange<L>, rules: LocationRules) {
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const refusals: Refusal[] = [];
  // Nothing sent, nothing changed (A13): not even a draft that lacks nothing goes into review by it.
  if (Object.keys(sent).length === 0) return { updated: stored, refusals };
  const wanted: L = { ...stored, ...sent, status: stored.status };
  const judged = statusAfter(stored, wanted, change.status);
  const status = typeof judged === "string" ? judged : stored.status;
  if (typeof judged !== "string") refusals.push(judged);
  if (change.available_for_ads !== undefined && status !== "APPROVED") refusals.push(adsTooEarly(status));
  const misfit = change.venue_type_id === undefined ? null : typeMisfit(wanted, rules.tree);
  if (misfit !== null) refusals.push(misfit);
  // A screen's move can send a location into review that lacks fields (C2): there it stays (B5).
  const enters = change.status === "REVIEW" && stored.status !== "REVIEW";
  const missing = enters && !rules.allowBareReview ? missingForReview(wanted) : [];
  if (missing.length > 0) refusals.push(incomplete(missing));
  return { updated: { ...wanted, status }, refusals };
}

/** The operator's approval; the location becomes available for ads, by default (B9, B19). */
export function approveLocation<L extends ReviewedLocation>(location: L, availableForAds = true): RuleResult<L> {
  if (location.status !== "REVIEW") return notInReview(location.status);
  return accepted({ ...location, status: "APPROVED", available_for_ads: availableForAds });
}

/** The operator's refusal: back to a draft (B19). */
export function returnLocation<L extends ReviewedLocation>(location: L): RuleResult<L> {
  return location.status === "REVIEW" ? accepted({ ...location, status: "DRAFT" }) : notInReview(location.status);
}

/** A location whose screens changed by a move: it is reviewed, whatever it was (contract, "States"; C2). */
export function afterMove<L extends ReviewedLocation>(location: L): L {
  return { ...location, status: "REVIEW" };
}

function statusAfter<L extends ReviewedLocation>(
  stored: L,
  wanted: L,
  asked: LocationStatus | undefined,
): LocationStatus | Refusal {
  if (asked === "DRAFT" || asked === "APPROVED") {
    return refused("conflict", "status_not_settable", "status", `a client cannot set the status ${asked}`);
  }
  switch (stored.status) {
    case "REVIEW":
      return "REVIEW";
    case "DRAFT":
      return asked === "REVIEW" || missingForReview(wanted).length === 0 ? "REVIEW" : "DRAFT";
    case "APPROVED":
      if (asked === "REVIEW") {
        return refused("conflict", "status_not_settable", "status", "an approved location cannot be set to REVIEW");
      }
      return REVIEWED_AGAIN.some((field) => wanted[field] !== stored[field]) ? "REVIEW" : "APPROVED";
  }
}

function typeMisfit({ venue_type_id }: ReviewedLocation, tree: VenueTree): Refusal | null {
  if (venue_type_id === null || fitsLocation(tree, venue_type_id)) return null;
  const message = tree.has(venue_type_id)
    ? "must be a venue type of level 2"
    : `there is no venue type ${venue_type_id}`;
  return refused("unprocessable", "not_level_2", "venue_type_id", message);
}

function adsTooEarly(status: LocationStatus): Refusal {
  const message = `cannot be set while the location is in ${status}`;
  return refused("conflict", "not_approved", "available_for_ads", message);
}

function incomplete(missing: readonly string[]): Refusal {
  const complaints: FieldError[] = missing.map((field) => ({ field, message: "is required for review" }));
  return { kind: "unprocessable", code: "incomplete", complaints };
}

function notInReview(status: LocationStatus): Refusal {
  return refused("conflict", "not_in_review", "status", `the location is in ${status}, not in REVIEW`);
}

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

/** Where a creative approval request (CAR) stands (contract, "CAR status"). */
export type ApprovalStatus = "pending" | "approved" | "rejected";

/** Why a creative is rejected; `CUSTOM` needs a message. */
export type RejectionReason = "ADVERTISER" | "INAPPROPRIATE" | "FILTER" | "CUSTOM";

/** What the rules look at in an approval, under the contract's names. */
export interface DecidedApproval {
  readonly status: ApprovalStatus;
  /** A service may have reasons that are not known yet. */
  readonly rejection_reasons: readonly string[] | null;
  readonly custom_message: string | null;
}

export interface Rejection {
  readonly reasons: readonly RejectionReason[];
  readonly message: string | null;
}

/** Whether a rejection lacks the message that `CUSTOM` needs; blanks alone are none (E3). */
export function lacksMessage({ reasons, message }: Rejection): boolean {
  return reasons.includes("CUSTOM") && (message ?? "").trim() === "";
}

/** An approval after its rejection: only a pending one, checked first; a reason counts once (E1-E4). */
export function rejectApproval<A extends DecidedApproval>(approval: A, rejection: Rejection): RuleResult<A> {
  if (approval.status !== "pending") {
    return refused("conflict", "already_decided", "status", `the creative is ${approval.status} already`);
  }
  if (lacksMessage(rejection)) {
    return refused("unprocessable", "message_required", "custom_message", "is required with the reason CUSTOM");
  }
  const rejection_reasons = [...new Set(rejection.reasons)];
  return accepted({ ...approval, status: "rejected", rejection_reasons, custom_message: rejection.message });
}

/** An approval once the operator has approved it: only a pending one (E5). */
export function approveApproval<A extends DecidedApproval>(approval: A): RuleResult<A> {
  if (approval.status !== "pending") {
    return refused("conflict", "already_decided", "status", `the creative is ${approval.status} already`);
  }
  return accepted({ ...approval, status: "approved" });
}

/** What is wrong with one field of a request. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/**
 * Why the rules refuse a request: `conflict` contradicts the state that things are in (answered 400), `unprocessable`
 * breaks a rule that spans several fields or objects (422). `code` is a word for machines, such as `not_level_2` (A1, A7).
 */
export interface Refusal {
  readonly kind: "conflict" | "unprocessable";
  readonly code: string;
  readonly complaints: readonly FieldError[];
}

/** What the rules make of a request: the value as it then is, or why everything stays as it was. */
export type RuleResult<T> = { readonly kind: "accepted"; readonly value: T } | Refusal;

function accepted<T>(value: T): RuleResult<T> {
  return { kind: "accepted", value };
}

/** A refusal because of one field. */
function refused(kind: Refusal["kind"], code: string, field: string, message: string): Refusal {
  return { kind, code, complaints: [{ field, message }] };
}
