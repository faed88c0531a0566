import { checkScreenUpdate, type NewScreen } from "../../client/checks.ts";
import { differences, screenEffects } from "../../core/inventory/changes.ts";
import { screenComplaints } from "../../core/inventory/check.ts";
import { fitsScreen, type ReviewedLocation, type VenueTree, type VenueType } from "../../core/inventory/rules.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { askMachine, askXrandr } from "../doctor/machine-checks.ts";
import { plain, say } from "../text.ts";
import { changeLines, confirm, effectText, type Questions } from "../vendor/asking.ts";
import { endIfFlawed, type Flaw, orEnd, patiently } from "../vendor/calls.ts";
import { type Column, newIdFlaw, ofNewId, screenColumns } from "../vendor/columns.ts";
import type { Connection } from "../vendor/connection.ts";
import { asSaid, readFlags, type Sayings, type Written } from "../vendor/written.ts";
import { type Place, type PlaceFlags, placeWritten } from "./place.ts";

/** What was said about the screen. */
export interface ScreenFlags {
  readonly id?: string;
  readonly title?: string;
  readonly venueType?: string;
  readonly size?: string;
  readonly loop?: string;
  readonly amount?: string;
  readonly impsWeekly?: string;
  readonly sayings?: Sayings;
}

/** The length of a new screen's loop where none is said. */
export const LOOP_SECONDS = "60";

/** What was said about the screen so far, and what of it cannot be read. */
export function screenWritten({ sayings, ...flags }: ScreenFlags): Written {
  const { venueType, id, title, size, loop, amount, impsWeekly } = flags;
  return asSaid(readFlags(screenColumns, { venueType, id, title, size, loop, amount, impsWeekly }), sayings);
}

/** The screen as the service has it, or null. */
export async function storedScreen(id: string, { service }: Connection): Promise<Screen | null> {
  const found = await patiently(() => service.getScreen(id));
  return found.kind === "notFound" ? null : orEnd(found, { what: `screen ${id}` });
}

/** Ends the command where a screen or a location is not there, and cannot be created under its identifier (A17). */
export function endIfMisnamed(
  flags: ScreenFlags & PlaceFlags & { readonly id: string; readonly location: string },
  screen: Screen | null,
  location: Location | null,
): void {
  const flawIn = (where: string, id: string): Flaw[] => {
    const message = newIdFlaw(id);
    return message === null ? [] : [{ where, message, kind: "data" }];
  };
  endIfFlawed([
    ...(screen === null ? flawIn(screenWritten(flags).nameOf("screen_id"), flags.id) : []),
    ...(location === null ? flawIn(placeWritten(flags).nameOf("location_id"), flags.location) : []),
  ]);
}

/** What is not said about a screen that is there already stays as it is; a type goes with its location. */
export function withStored<F extends ScreenFlags & { readonly location?: string }>(flags: F, stored: Screen | null): F {
  if (stored === null) return { ...flags, loop: flags.loop ?? LOOP_SECONDS };
  const { title, loop_duration, venue_type_id, location_id } = stored;
  const venueType = flags.venueType ?? (location_id === flags.location ? venue_type_id : undefined);
  const kept = { ...flags, title: flags.title ?? title, loop: flags.loop ?? String(loop_duration) };
  return venueType === undefined ? kept : { ...kept, venueType };
}

/** What the screen is to be, its size by the display and its type by its location where they are not given. */
export async function screenFor(
  flags: ScreenFlags & { readonly id: string; readonly location: string },
  place: Place,
  tree: VenueTree | null,
  questions: Questions,
): Promise<{ readonly screen: NewScreen; readonly nameOf: Written["nameOf"] }> {
  const locationType = (place.kind === "there" ? place.location.venue_type_id : place.creation.venue_type_id) ?? null;
  const venueType = flags.venueType ?? (await askedType(locationType, tree, questions)) ?? locationType;
  const title = flags.title ?? (await questions.field("Name of this screen:", columnOf("title"), flags.id));
  const shown = flags.size === undefined ? await displaySize() : null;
  const size = flags.size ?? (await questions.field("Its size in pixels:", columnOf("size"), shown)) ?? shown;
  const complete = { ...flags, ...(venueType === null ? {} : { venueType }), ...(size === null ? {} : { size }) };
  const written = screenWritten({ ...complete, title: title ?? flags.id });
  const lacking: Flaw[] = [
    ...(size === null ? [{ where: "--size", message: NO_DISPLAY, kind: "usage" as const }] : []),
    ...(venueType === null ? [{ where: "--venue-type", message: "is missing", kind: "usage" as const }] : []),
  ];
  endIfFlawed([...written.flaws, ...lacking]);
  const screen = { ...written.fields, location_id: flags.location } as unknown as NewScreen;
  checkScreen(screen, { venue_type_id: locationType }, tree, written.nameOf);
  return { screen, nameOf: written.nameOf };
}

async function askedType(
  locationType: string | null,
  tree: VenueTree | null,
  questions: Questions,
): Promise<string | null> {
  if (tree === null || locationType === null) return null;
  const fits = ({ id }: VenueType) => fitsScreen(tree, id, locationType);
  return questions.venueType("Where in it the screen is:", tree, fits);
}

const NO_DISPLAY = "is missing, and no display can be asked";

async function displaySize(): Promise<string | null> {
  const displays = (await askMachine())?.displays ?? (await askXrandr());
  const [first] = displays;
  return first === undefined ? null : `${first.width}x${first.height}`;
}

/** What an answer to the question for an identifier can be read as: what something could be created under (A17). */
export function idColumn(flag: "id" | "location"): Column {
  return ofNewId(columnOf(flag));
}

/** What a flag of the screen can be read as. */
function columnOf(flag: string): Column {
  const column = screenColumns.find((one) => one.flag === flag);
  if (column === undefined) throw new Error(`there is no column ${flag}`);
  return column;
}

type NameOf = (field: string) => string;

/** Ends the command with all that is wrong with a screen at a location, which need not be there yet. */
function checkScreen(
  screen: NewScreen,
  place: Pick<ReviewedLocation, "venue_type_id">,
  tree: VenueTree | null,
  nameOf: NameOf,
): void {
  const location: ReviewedLocation = { ...BLANK, venue_type_id: place.venue_type_id };
  const complaints = screenComplaints(screen, screen, location, tree);
  endIfFlawed(complaints.map(({ field, message }) => ({ where: nameOf(field), message, kind: "data" })));
}

const BLANK = {
  ...{ lat: null, long: null, opening_168: null, visitors_7: null },
  ...{ status: "DRAFT" as const, available_for_ads: false },
};

/** Whether a change of what is there is agreed to already, and else whether somebody is asked. */
export interface Consent {
  readonly yes: boolean;
  readonly isAsked: boolean;
}

/**
 * Has somebody agree to what is wanted of a screen that is there already, where that changes it: before anything is made. Ends
 * the command where nobody does.
 */
export async function agreeTo(
  screen: NewScreen,
  stored: Screen | null,
  { yes, isAsked }: Consent,
  nameOf: NameOf,
): Promise<void> {
  const { screen_id: _, ...wanted } = screen;
  if (stored === null || differences(stored, wanted).length === 0) return;
  say(`There is a screen ${plain(stored.screen_id)} already; this changes it:`, ...changeLines(stored, wanted, nameOf));
  say(...screenEffects(stored, wanted).map(effectText));
  if (yes) return;
  if (isAsked) return confirm("Change it?");
  throw new CommandFailure("Add --yes to change it, or give another --id.", exitCodes.usage);
}

/**
 * Makes the screen be as it is wanted: creates it, or changes one that is there already, as was agreed to. A machine that is
 * set up anew gets its screen back.
 */
export async function screenMade(
  screen: NewScreen,
  stored: Screen | null,
  { service, reader, signal }: Connection,
  nameOf: NameOf,
): Promise<{ readonly screen: Screen; readonly done: "created" | "updated" | "there already" }> {
  const { screen_id, ...wanted } = screen;
  const subject = { what: `screen ${screen_id}`, nameOf, look: `spotloop screens get ${screen_id}` };
  if (stored === null)
    return { screen: orEnd(await patiently(() => service.createScreen(screen)), subject), done: "created" };
  if (differences(stored, wanted).length === 0) return { screen: stored, done: "there already" };
  orEnd(await patiently(() => checkScreenUpdate(reader, screen_id, wanted, signal)), subject);
  return { screen: orEnd(await patiently(() => service.updateScreen(screen_id, wanted)), subject), done: "updated" };
}
