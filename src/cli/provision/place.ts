import type { Answer } from "../../client/answer.ts";
import { checkNewLocation, type NewLocation } from "../../client/checks.ts";
import { differences } from "../../core/inventory/changes.ts";
import { fitsLocation, type VenueTree } from "../../core/inventory/rules.ts";
import type { Location } from "../../wire/inventory.ts";
import { say } from "../text.ts";
import type { Questions } from "../vendor/asking.ts";
import { endIfFlawed, type Flaw, orEnd, patiently } from "../vendor/calls.ts";
import { type Column, locationColumns } from "../vendor/columns.ts";
import type { Connection } from "../vendor/connection.ts";
import { newLocation } from "../vendor/locations.ts";
import { asSaid, readFlags, type Sayings, type Written } from "../vendor/written.ts";

/** The location where the screen is to stand: one that is there, or one that is to be created. */
export type Place =
  | { readonly kind: "there"; readonly location: Location }
  | { readonly kind: "new"; readonly creation: NewLocation };

/** The flags of `provision` about a location; its title is not the screen's. */
export interface PlaceFlags {
  readonly location?: string;
  readonly locationTitle?: string;
  readonly venueType?: string;
  readonly lat?: string;
  readonly long?: string;
  readonly open?: string;
  readonly visitors?: string;
  readonly email?: string;
  readonly phone?: string;
  readonly sayings?: Sayings;
}

/** What was said about the location so far, and what of it cannot be read. */
export function placeWritten(flags: PlaceFlags): Written {
  const { location: id, locationTitle: title, lat, long, open, visitors, email, phone } = flags;
  const written = readFlags(locationColumns, { id, title, lat, long, open, visitors, email, phone });
  return asSaid({ ...written, nameOf: (field) => NAMES[field] ?? written.nameOf(field) }, flags.sayings);
}

const NAMES: Readonly<Record<string, string>> = { title: "--location-title", location_id: "--location" };

/** The location as the service has it, or null. */
export async function storedLocation(id: string, { reader, signal }: Connection): Promise<Location | null> {
  const found = await patiently(() => reader.getLocation(id, signal));
  return found.kind === "notFound" ? null : orEnd(found, { what: `location ${id}` });
}

/** The location that is there, or what it takes to create it; nothing is created yet. */
export async function placeFor(
  stored: Location | null,
  flags: PlaceFlags & { readonly location: string },
  { reader, signal }: Connection,
  tree: VenueTree | null,
  questions: Questions,
): Promise<Place> {
  const { location: id } = flags;
  if (stored !== null) {
    const differs = differences(stored, placeWritten(flags).fields).length > 0;
    if (differs)
      say(`Location ${id} is there already and stays as it is; change it with: spotloop locations update ${id}`);
    return { kind: "there", location: stored };
  }
  const asked = await completed(flags, tree, questions);
  const written = placeWritten(asked);
  const type = locationType(asked.venueType, tree);
  endIfFlawed([...written.flaws, ...missing(asked, id)]);
  const creation = newLocation({ ...written.fields, ...(type === null ? {} : { venue_type_id: type }) });
  const checked: Answer<null> = await patiently(() => checkNewLocation(reader, creation, signal));
  orEnd(checked, { what: `location ${id}`, nameOf: written.nameOf });
  return { kind: "new", creation };
}

/** The location that was found, or the one that was gathered, created now. */
export async function locationMade(place: Place, { service }: Connection): Promise<Location> {
  if (place.kind === "there") return place.location;
  const id = place.creation.location_id ?? "";
  return orEnd(await patiently(() => service.createLocation(place.creation)), { what: `location ${id}` });
}

async function completed(flags: PlaceFlags, tree: VenueTree | null, questions: Questions): Promise<PlaceFlags> {
  const id = flags.location ?? "";
  const ask = async (name: Exclude<keyof PlaceFlags, "sayings">, message: string, optional: boolean) =>
    flags[name] ?? (await questions.field(message, columnOf(name), null, optional)) ?? undefined;
  const title = await ask("locationTitle", `There is no location ${id} yet. Its name:`, false);
  const isOffered = (type: { id: string }) => tree !== null && fitsLocation(tree, type.id);
  const type = flags.venueType ?? (tree && (await questions.venueType("What kind of place it is:", tree, isOffered)));
  const answers = {
    locationTitle: title,
    venueType: type ?? undefined,
    lat: await ask("lat", "Latitude:", true),
    long: await ask("long", "Longitude:", true),
    open: await ask("open", "Opening hours, such as mon-fri 08:00-20:00:", true),
    visitors: await ask("visitors", "Visitors a day, seven numbers, Monday first:", true),
  };
  const given = Object.entries(answers).filter(([, value]) => value !== undefined);
  return { ...flags, ...Object.fromEntries(given) };
}

function columnOf(name: keyof PlaceFlags): Column {
  const flag = name === "locationTitle" ? "title" : name;
  const column = locationColumns.find((one) => one.flag === flag);
  if (column === undefined) throw new Error(`there is no column ${name}`);
  return column;
}

function missing({ locationTitle, venueType }: PlaceFlags, id: string): Flaw[] {
  const message = `is missing: there is no location ${id} yet`;
  return [
    ...(locationTitle === undefined ? [{ where: "--location-title", message, kind: "usage" as const }] : []),
    ...(venueType === undefined ? [{ where: "--venue-type", message, kind: "usage" as const }] : []),
  ];
}

/** A location takes a type of level 2; where the screen's is a child, that is its parent. */
export function locationType(id: string | undefined, tree: VenueTree | null): string | null {
  if (id === undefined) return null;
  const type = tree?.get(id);
  return type?.level === 3 ? type.parent_id : id;
}
