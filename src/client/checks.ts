import type { z } from "zod";
import {
  locationComplaints,
  locationUpdateComplaints,
  rejectionComplaints,
  screenComplaints,
} from "../core/inventory/check.ts";
import { type FieldError, isPlaced, type PlacedScreen, type VenueTree } from "../core/inventory/rules.ts";
import type {
  Location,
  LocationChange,
  locationCreationSchema,
  RejectionReason,
  Screen,
  ScreenChange,
  screenCreationSchema,
} from "../wire/inventory.ts";
import type { ApprovalAnswer } from "../wire/inventory-answers.ts";
import { type Answer, type Failure, invalid, ok } from "./answer.ts";

/** What "Create a Location" takes. Without a `location_id` the service chooses one. */
export type NewLocation = z.input<typeof locationCreationSchema>;

/** What "Create a Screen" takes. */
export type NewScreen = z.input<typeof screenCreationSchema>;

/** What "Reject a CAR" takes. `CUSTOM` needs a message. */
export interface NewRejection {
  readonly rejection_reasons: readonly RejectionReason[];
  readonly custom_message?: string | null | undefined;
}

/** What a check reads in order to judge. */
export interface Reader {
  getLocation(locationId: string, signal: AbortSignal): Promise<Answer<Location>>;
  getScreen(screenId: string, signal: AbortSignal): Promise<Answer<Screen>>;
  getApproval(carId: string, signal: AbortSignal): Promise<Answer<ApprovalAnswer>>;
  /** `again`: as the service has it now, not from memory. */
  venueTree(signal: AbortSignal, again?: boolean): Promise<Answer<VenueTree>>;
}

/** Checks what is to be created; every problem at once. */
export async function checkNewLocation(
  reader: Reader,
  creation: Partial<NewLocation>,
  signal: AbortSignal,
): Promise<Answer<null>> {
  return judged(reader, creation.venue_type_id, null, (tree) => locationComplaints(creation, tree), signal);
}

/** Checks an update against the location as it is, which is the value of a good answer. */
export async function checkLocationUpdate(
  reader: Reader,
  locationId: string,
  change: LocationChange,
  signal: AbortSignal,
): Promise<Answer<Location>> {
  const stored = await reader.getLocation(locationId, signal);
  if (stored.kind !== "ok") return orFlawed(stored, locationComplaints(change, null));
  const complaints = (tree: VenueTree | null) => locationUpdateComplaints(stored.value, change, tree);
  return judged(reader, change.venue_type_id, stored.value, complaints, signal);
}

/** Checks a new screen against the location where it is to stand, which is the value of a good answer. */
export async function checkNewScreen(
  reader: Reader,
  creation: Partial<NewScreen>,
  signal: AbortSignal,
): Promise<Answer<Location | null>> {
  const { location_id, venue_type_id } = creation;
  const parent = location_id === undefined ? null : await placeOf(reader, location_id, signal);
  if (parent !== null && parent.kind !== "ok") return orFlawed(parent, screenComplaints(creation, null, null, null));
  const placed = location_id === undefined ? null : { location_id, venue_type_id: venue_type_id ?? "" };
  const location = parent?.value ?? null;
  // Without a type, only whether there is such a location can be told.
  const place = venue_type_id === undefined && location !== null ? undefined : location;
  const complaints = (tree: VenueTree | null) => screenComplaints(creation, placed, place, tree);
  return judged(reader, venue_type_id, location, complaints, signal);
}

/** A screen as it is, and the location where it is to stand where that had to be looked at. */
export interface ScreenAndPlace {
  readonly stored: Screen;
  readonly location: Location | null;
}

/** Checks an update against the screen as it is and, if it moves or changes its type, where it will stand (C5). */
export async function checkScreenUpdate(
  reader: Reader,
  screenId: string,
  change: ScreenChange,
  signal: AbortSignal,
): Promise<Answer<ScreenAndPlace>> {
  const stored = await reader.getScreen(screenId, signal);
  if (stored.kind !== "ok") return orFlawed(stored, screenComplaints(change, null, undefined, null));
  const { location_id = stored.value.location_id, venue_type_id = stored.value.venue_type_id } = change;
  const placed: PlacedScreen = { location_id, venue_type_id };
  const moved =
    isPlaced(change) && (location_id !== stored.value.location_id || venue_type_id !== stored.value.venue_type_id);
  const parent = moved ? await placeOf(reader, location_id, signal) : null;
  if (parent !== null && parent.kind !== "ok") return orFlawed(parent, screenComplaints(change, null, undefined, null));
  const found = { stored: stored.value, location: parent?.value ?? null };
  const place = parent === null ? undefined : parent.value;
  const complaints = (tree: VenueTree | null) => screenComplaints(change, placed, place, tree);
  return judged(reader, moved ? venue_type_id : undefined, found, complaints, signal);
}

/** Checks a rejection against the approval as it is, which is the value of a good answer. */
export async function checkRejection(
  reader: Reader,
  carId: string,
  { rejection_reasons: reasons, custom_message: message = null }: NewRejection,
  signal: AbortSignal,
): Promise<Answer<ApprovalAnswer>> {
  const stored = await reader.getApproval(carId, signal);
  if (stored.kind !== "ok") return orFlawed(stored, rejectionComplaints(null, { reasons, message }));
  const complaints = rejectionComplaints(stored.value, { reasons, message });
  return complaints.length > 0 ? invalid(complaints) : stored;
}

/** Judges with the venue types where one is named; by a tree from memory only as long as it finds nothing wrong. */
async function judged<T>(
  reader: Reader,
  venueTypeId: string | undefined,
  value: T,
  complaintsBy: (tree: VenueTree | null) => readonly FieldError[],
  signal: AbortSignal,
): Promise<Answer<T>> {
  let complaints: readonly FieldError[] = [];
  for (const again of [false, true]) {
    const tree = venueTypeId === undefined ? null : await reader.venueTree(signal, again);
    if (tree?.kind === "unauthorized") return orFlawed(tree, complaintsBy(null));
    // A service that does not list its venue types, or none that can be read, judges them by itself.
    complaints = complaintsBy(tree?.kind === "ok" && tree.value.size > 0 ? tree.value : null);
    if (tree?.kind !== "ok" || !complaints.some(({ field }) => field === "venue_type_id")) break;
  }
  return complaints.length > 0 ? invalid(complaints) : ok(value);
}

/** The location of an id; the value is null where there is none. */
async function placeOf(reader: Reader, locationId: string, signal: AbortSignal): Promise<Answer<Location | null>> {
  const found = await reader.getLocation(locationId, signal);
  return found.kind === "notFound" ? ok(null) : found;
}

/** What is wrong with a request is told before what kept it from being judged further. */
function orFlawed(failure: Failure, complaints: readonly FieldError[]): Failure {
  return complaints.length > 0 && failure.kind !== "unauthorized" ? invalid(complaints) : failure;
}
