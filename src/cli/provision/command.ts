import { hostname } from "node:os";
import { Command } from "commander";
import type { NewScreen } from "../../client/requests.ts";
import { fitsScreen, type VenueTree, type VenueType } from "../../core/venue-type.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import { findingLines, report } from "../doctor/command.ts";
import { examine } from "../doctor/examine.ts";
import { codeOf, type Finding } from "../doctor/finding.ts";
import { askMachine, askXrandr } from "../doctor/machine.ts";
import { CommandFailure, exitCodes } from "../exit.ts";
import { print, printJson } from "../text.ts";
import { type Column, screenColumns } from "../vendor/columns.ts";
import { type Connection, type ConnectionFlags, connectionTo, withConnection } from "../vendor/connection.ts";
import { orEnd } from "../vendor/failure.ts";
import { endIfFlawed, type Flaw } from "../vendor/flaws.ts";
import { nextSteps } from "../vendor/location-view.ts";
import { obstacles } from "../vendor/screen-view.ts";
import { readFlags, type Written } from "../vendor/written.ts";
import { serviceFor } from "./access.ts";
import { configTarget, endIfUnwritable, writeConfig, writtenConfig } from "./config-file.ts";
import { type Place, type PlaceFlags, placeFor, placeWritten } from "./place.ts";
import { Questions } from "./questions.ts";
import { checkScreen, screenMade } from "./screen.ts";

interface ProvisionFlags extends ConnectionFlags, PlaceFlags {
  readonly id?: string;
  readonly title?: string;
  readonly size?: string;
  readonly loop?: string;
  readonly amount?: string;
  readonly impsWeekly?: string;
}

/** `spotloop provision`: turns this machine into a screen of the network. */
export function provisionCommand(): Command {
  const command = new Command("provision")
    .description("turn this machine into a screen: location, screen, configuration, and a look at all of it")
    .option("--id <id>", "the screen's identifier")
    .option("--title <text>", "the screen's name; by default its identifier")
    .option("--location <id>", "where it stands: a location that is there, or one that is to be created")
    .option("--venue-type <id>", "the screen's; a new location gets the one of level 2 above it")
    .option("--size <WxH>", "in pixels; by default the display's")
    .option("--loop <seconds>", `length of its loop; by default ${LOOP_SECONDS}`)
    .option("--amount <number>", "how many displays show the same")
    .option("--imps-weekly <number>", "estimated impressions a week")
    .option("--location-title <text>", "name of a new location")
    .option("--lat <degrees>", "latitude of a new location")
    .option("--long <degrees>", "longitude of a new location")
    .option("--open <hours>", "opening hours of a new location: mon-fri 08:00-20:00")
    .option("--visitors <numbers>", "visitors a day of a new location, Monday first")
    .option("--email <address>", "contact of a new location")
    .option("--phone <number>", "contact of a new location")
    .addHelpText("after", HELP)
    .action(provision);
  return withConnection(command);
}

const LOOP_SECONDS = "60";

const HELP = `
On a terminal it asks for what is not given. It writes the configuration to --config, else where one
is already, else to the first place where the player looks; the token goes into a file beside it.

Example:
  spotloop provision --base-url https://network.example --org-token-file token --id door-1 \\
    --location gym-1 --location-title "Gym" --venue-type 40101 --lat 52.5 --long 13.4 \\
    --open "mon-fri 08:00-20:00" --visitors 120,110,115,130,180,240,90`;

async function provision(flags: ProvisionFlags): Promise<void> {
  const questions = new Questions();
  const path = configTarget(flags.config ?? null, process.env);
  writtenConfig(path);
  endIfUnwritable(path);
  const asked = await identified(flags, questions);
  const { baseUrl, orgToken, token } = await serviceFor(path, flags, process.env, questions);
  const connection = connectionTo(baseUrl, orgToken);
  const tree = await treeOf(connection);
  const place = await placeFor(asked.location, asked, connection, tree, questions);
  const stored = await storedScreen(asked.id, connection);
  const { screen: wanted, nameOf } = await screenFor(withStored(asked, stored), place, tree, questions);

  const location = await locationMade(place, connection);
  const made = await screenMade(wanted, stored, connection, flags.yes === true, nameOf);
  writeConfig(path, baseUrl, made.screen.screen_id, token);
  const lines = [
    `Location ${location.location_id} is ${place.kind === "new" ? "created" : "there already"}: ${location.status}.`,
    `Screen ${made.screen.screen_id} is ${made.done}: ${made.screen.width}x${made.screen.height}.`,
    `The configuration is ${path}.`,
  ];
  if (!flags.json) print(...lines, "");
  // Moved or new, the screen may have sent its location to review.
  const now = await connection.service.getLocation(location.location_id);
  await finish(path, made.screen, now.kind === "ok" ? now.value : location, flags);
}

/** The venue types; null from a service that does not list them, and then judges them by itself. */
async function treeOf({ reader, signal }: Connection): Promise<VenueTree | null> {
  const listed = await reader.venueTree(signal);
  if (listed.kind === "notFound" || listed.kind === "invalid") return null;
  return orEnd(listed, { what: "list of venue types" });
}

/** The identifiers, and every flag that cannot be read: before anything is asked of the service. */
async function identified(flags: ProvisionFlags, questions: Questions) {
  const id = flags.id ?? (await questions.field("Identifier of this screen:", columnOf("id"), offeredId()));
  const location = flags.location ?? (await questions.field("Identifier of its location:", columnOf("location"), null));
  const missing: Flaw[] = [
    ...(id === null ? [{ where: "--id", message: "is missing", kind: "usage" as const }] : []),
    ...(location === null ? [{ where: "--location", message: "is missing", kind: "usage" as const }] : []),
  ];
  endIfFlawed([...missing, ...placeWritten(flags).flaws, ...screenWritten(flags).flaws]);
  return { ...flags, id: id ?? "", location: location ?? "" };
}

/** The machine's own name, as far as it can be an identifier (A17). */
function offeredId(): string {
  return hostname()
    .replace(/[^A-Za-z0-9_.-]/g, "-")
    .slice(0, 64);
}

function screenWritten({ venueType, id, title, size, loop, amount, impsWeekly }: ProvisionFlags): Written {
  return readFlags(screenColumns, { venueType, id, title, size, loop, amount, impsWeekly });
}

/** What is not said about a screen that is there already stays as it is; a type goes with its location. */
function withStored<F extends ProvisionFlags>(flags: F, stored: Screen | null): F {
  if (stored === null) return { ...flags, loop: flags.loop ?? LOOP_SECONDS };
  const { title, loop_duration, venue_type_id, location_id } = stored;
  const venueType = flags.venueType ?? (location_id === flags.location ? venue_type_id : undefined);
  const kept = { ...flags, title: flags.title ?? title, loop: flags.loop ?? String(loop_duration) };
  return venueType === undefined ? kept : { ...kept, venueType };
}

/** What the screen is to be, its size by the display and its type by its location where they are not given. */
async function screenFor(
  flags: ProvisionFlags & { readonly id: string; readonly location: string },
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

function columnOf(flag: string): Column {
  const column = screenColumns.find((one) => one.flag === flag);
  if (column === undefined) throw new Error(`there is no column ${flag}`);
  return column;
}

async function storedScreen(id: string, { service }: Connection): Promise<Screen | null> {
  const found = await service.getScreen(id);
  return found.kind === "notFound" ? null : orEnd(found, { what: `screen ${id}` });
}

async function locationMade(place: Place, { service }: Connection): Promise<Location> {
  if (place.kind === "there") return place.location;
  const id = place.creation.location_id ?? "";
  return orEnd(await service.createLocation(place.creation), { what: `location ${id}` });
}

/** Looks at what was made as the player will, and says what is still missing. */
async function finish(path: string, screen: Screen, location: Location, flags: ProvisionFlags): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !WRITTEN.has(name)));
  const { findings } = await examine(path, env);
  const missing = location.status === "APPROVED" ? obstacles(screen, location) : nextSteps(location);
  if (flags.json) printJson({ screen, location, config: path, missing, doctor: report(findings) });
  else print(...findingLines(findings), "", ...ending(missing, findings));
  const code = codeOf(findings);
  if (code !== exitCodes.stopped) throw new CommandFailure("", code);
}

/** What the file says now: the player is to find it there, not in this environment. */
const WRITTEN: ReadonlySet<string> = new Set([
  ...["SPOTLOOP_BASE_URL", "SPOTLOOP_ORG_TOKEN", "SPOTLOOP_ORG_TOKEN_FILE", "SPOTLOOP_SCREEN_ID"],
]);

function ending(missing: readonly string[], findings: readonly Finding[]): string[] {
  const failed = findings.filter(({ verdict }) => verdict === "failed").length;
  if (failed > 0) return ["Mend what failed, and look again with: spotloop doctor"];
  if (missing.length === 0) return ["All is ready: start the player."];
  return ["The player can be started. Before ads can run:", ...missing.map((line) => `- ${line}`)];
}
