import { type Answer, ok } from "../../../client/answer.ts";
import {
  checkLocationUpdate,
  checkNewLocation,
  checkNewScreen,
  checkScreenUpdate,
  type Reader,
} from "../../../client/checks.ts";
import type { NewLocation, NewScreen } from "../../../client/requests.ts";
import { locationEffects, screenEffects } from "../../../core/effects.ts";
import { locationComplaints, screenComplaints } from "../../../core/inventory-check.ts";
import type { VenueTree } from "../../../core/venue-type.ts";
import type { Location, Screen } from "../../../wire/inventory.ts";
import { locationColumns, screenColumns } from "../columns.ts";
import type { Connection } from "../connection.ts";
import type { Fields, Kind } from "./kind.ts";
import type { Pace } from "./pace.ts";

/** Locations, read and written at a pace. */
export function locationKind(connection: Connection, pace: Pace): Kind<Location> {
  const { service, signal } = connection;
  const reader = remembering(connection, pace);
  return {
    what: "location",
    columns: locationColumns,
    idField: "location_id",
    required: ["location_id", "title"],
    complaints: (fields) => locationComplaints(fields, null),
    get: (id) => pace.call(() => service.getLocation(id, signal)),
    checkNew: (fields) => checkNewLocation(reader, creation(fields), signal),
    checkChange: (id, stored, change) =>
      checkLocationUpdate({ ...reader, getLocation: async () => ok(stored) }, id, change, signal),
    effects: (stored, change) => locationEffects(stored, change),
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
    complaints: (fields) => screenComplaints(fields, null, undefined, null),
    get: (id) => pace.call(() => service.getScreen(id, signal)),
    checkNew: (fields) => checkNewScreen(reader, fields as unknown as NewScreen, signal),
    checkChange: (id, stored, change) =>
      checkScreenUpdate({ ...reader, getScreen: async () => ok(stored) }, id, change, signal),
    effects: (stored, change) => screenEffects(stored, change),
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
