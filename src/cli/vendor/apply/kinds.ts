import { type Answer, ok } from "../../../client/answer.ts";
import {
  checkLocationUpdate,
  checkNewLocation,
  checkNewScreen,
  checkScreenUpdate,
  type NewLocation,
  type NewScreen,
  type Reader,
} from "../../../client/checks.ts";
import { type Effect, locationEffects, screenEffects } from "../../../core/inventory/changes.ts";
import { locationComplaints, screenComplaints } from "../../../core/inventory/check.ts";
import { type LocationStatus, missingForReview, type ReviewedLocation } from "../../../core/inventory/location.ts";
import type { FieldError } from "../../../core/inventory/rule-result.ts";
import type { VenueTree } from "../../../core/inventory/venue-type.ts";
import type { Location, Screen } from "../../../wire/inventory.ts";
import { type Column, locationColumns, screenColumns } from "../columns.ts";
import type { Connection } from "../connection.ts";
import type { Pace } from "./pace.ts";

/** What can be applied: locations or screens. `S` as the service has one. */
export interface Kind<S extends object> {
  readonly what: "location" | "screen";
  readonly columns: readonly Column[];
  /** The contract's name of its identifier. */
  readonly idField: string;
  /** The contract's names of what one needs to be created. */
  readonly required: readonly string[];
  /** What only an update can set, the contract's name and ours, and when: left out of what is created. */
  readonly onlyUpdated: readonly { readonly field: string; readonly flag: string; readonly when: string }[];
  /** What is wrong with fields whatever is there already. */
  complaints(fields: Fields): readonly FieldError[];
  get(id: string): Promise<Answer<S>>;
  /** Whether one can be created so, as far as that can be told before asking. */
  checkNew(fields: Fields): Promise<Answer<unknown>>;
  checkChange(id: string, stored: S, change: Fields): Promise<Answer<unknown>>;
  effects(stored: S, change: Fields): readonly Effect[];
  /** Where it stands in the operator's review; null for what is not reviewed. */
  standing(stored: S): Standing | null;
  create(fields: Fields): Promise<Answer<S>>;
  update(id: string, change: Fields): Promise<Answer<S>>;
}

/** Under the contract's names. */
export type Fields = Readonly<Record<string, unknown>>;

/** Where a location stands in the operator's review, and what it lacks for it, under the contract's names. */
export interface Standing {
  readonly status: LocationStatus;
  readonly lacks: readonly string[];
}

/** Locations, read and written at a pace. */
export function locationKind(connection: Connection, pace: Pace): Kind<Location> {
  const { service, signal } = connection;
  const reader = remembering(connection, pace);
  return {
    what: "location",
    columns: locationColumns,
    idField: "location_id",
    required: ["location_id", "title"],
    onlyUpdated: [{ field: "available_for_ads", flag: "available-for-ads", when: "APPROVED" }],
    complaints: (fields) => locationComplaints(fields, null),
    get: (id) => pace.call(() => service.getLocation(id, signal)),
    checkNew: (fields) => checkNewLocation(reader, creation(fields), signal),
    checkChange: (id, stored, change) =>
      checkLocationUpdate({ ...reader, getLocation: async () => ok(stored) }, id, change, signal),
    effects: (stored, change) => locationEffects(stored, change),
    standing: standingOf,
    create: (fields) => pace.call(() => service.createLocation(creation(fields), signal)),
    update: (id, change) => pace.call(() => service.updateLocation(id, change, signal)),
  };
}

/** Screens, read and written at a pace; of their locations each is read once. */
export function screenKind(connection: Connection, pace: Pace): Kind<Screen> {
  const { service, signal } = connection;
  const reader = remembering(connection, pace);
  return {
    what: "screen",
    columns: screenColumns,
    idField: "screen_id",
    required: ["screen_id", "title", "location_id", "venue_type_id", "width", "height", "loop_duration"],
    onlyUpdated: [],
    complaints: (fields) => screenComplaints(fields, null, undefined, null),
    get: (id) => pace.call(() => service.getScreen(id, signal)),
    checkNew: (fields) => checkNewScreen(reader, fields as unknown as NewScreen, signal),
    checkChange: (id, stored, change) =>
      checkScreenUpdate({ ...reader, getScreen: async () => ok(stored) }, id, change, signal),
    effects: (stored, change) => screenEffects(stored, change),
    standing: () => null,
    create: (fields) => pace.call(() => service.createScreen(fields as unknown as NewScreen, signal)),
    update: (id, change) => pace.call(() => service.updateScreen(id, change, signal)),
  };
}

/** Only an update can set `available_for_ads` of a location (contract, "Location"; B7). */
function creation({ available_for_ads: _, ...fields }: Fields): NewLocation {
  return fields as unknown as NewLocation;
}

/** Reads each location, and the venue types, once and keeps them: thousands of rows name the same few. */
function remembering({ reader, signal }: Connection, pace: Pace): Reader {
  const locations = new Map<string, Promise<Answer<Location>>>();
  const trees = new Map<boolean, Promise<Answer<VenueTree>>>();
  return {
    ...reader,
    getLocation: (id) => remembered(locations, id, () => pace.call(() => reader.getLocation(id, signal))),
    venueTree: (_, again = false) => remembered(trees, again, () => pace.call(() => reader.venueTree(signal, again))),
  };
}

function remembered<K, V>(kept: Map<K, V>, key: K, ask: () => V): V {
  const found = kept.get(key) ?? ask();
  kept.set(key, found);
  return found;
}

function standingOf(location: ReviewedLocation): Standing {
  return { status: location.status, lacks: missingForReview(location) };
}
