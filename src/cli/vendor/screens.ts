import { Command } from "commander";
import { checkNewScreen, checkScreenUpdate, type NewScreen } from "../../client/checks.ts";
import { differences, screenEffects } from "../../core/inventory/changes.ts";
import { screenComplaints } from "../../core/inventory/check.ts";
import type { FieldError } from "../../core/inventory/rules.ts";
import type { ScreenChange } from "../../wire/inventory.ts";
import { plain, print, printJson } from "../text.ts";
import { applyScreensCommand } from "./apply/command.ts";
import { announce } from "./asking.ts";
import { type Flaw, orEnd, patiently, printRequest } from "./calls.ts";
import { screenColumns } from "./columns.ts";
import { type Connection, type ConnectionFlags, connect, withConnection } from "./connection.ts";
import { obstacles, screenText } from "./views.ts";
import { endIfUnclear, updateFlaws, type WriteFlags, type Written, writtenBy } from "./written.ts";

/** `spotloop screens`: the displays that show spots. */
export function screensCommand(): Command {
  return new Command("screens")
    .description("register and maintain the displays that show spots")
    .addCommand(withConnection(createCommand()))
    .addCommand(withConnection(getCommand()))
    .addCommand(withConnection(updateCommand()))
    .addCommand(withConnection(moveCommand()))
    .addCommand(applyScreensCommand());
}

function createCommand(): Command {
  return withFields(new Command("create"))
    .description("create a screen at a location")
    .option("--id <id>", "its identifier")
    .option("--from <file>", "a JSON object with its fields; - is standard input; flags go before it")
    .option("--dry-run", "show the request instead of sending it")
    .option("--no-check", "leave the rules to the service")
    .addHelpText("after", CREATE_EXAMPLES)
    .action(create);
}

function getCommand(): Command {
  return new Command("get")
    .description("show a screen, and what keeps it from spots")
    .argument("<id>")
    .addHelpText("after", "\nExample:\n  spotloop screens get door-1")
    .action(get);
}

function updateCommand(): Command {
  return withFields(new Command("update"))
    .description("change the fields that are given; an empty --amount or --imps-weekly clears it")
    .argument("<id>")
    .option("--from <file>", "a JSON object with the fields to change; - is standard input; flags go before it")
    .option("--dry-run", "show the request instead of sending it")
    .option("--no-check", "leave the rules to the service")
    .addHelpText("after", UPDATE_EXAMPLES)
    .action(update);
}

function moveCommand(): Command {
  return new Command("move")
    .description("move a screen to another location, which goes to the operator's review by that")
    .argument("<id>")
    .argument("<location>")
    .option("--venue-type <id>", "its type there: the location's or a child of that")
    .option("--dry-run", "show the request instead of sending it")
    .option("--no-check", "leave the rules to the service")
    .addHelpText("after", "\nExample:\n  spotloop screens move door-1 gym-2 --yes")
    .action(move);
}

function withFields(command: Command): Command {
  return command
    .option("--title <text>", "display name")
    .option("--location <id>", "where it stands")
    .option("--venue-type <id>", "the location's venue type or a child of that: spotloop venue-types")
    .option("--size <WxH>", "in pixels, such as 1920x1080")
    .option("--loop <seconds>", "length of its loop")
    .option("--amount <number>", "how many displays show the same")
    .option("--imps-weekly <number>", "estimated impressions a week")
    .option("--available-for-ads <yes|no>", "whether it takes campaigns")
    .option("--archived <yes|no>", "whether it is out of use");
}

const CREATE_EXAMPLES = `
Examples:
  spotloop screens create --id door-1 --title "Door" --location gym-1 --venue-type 40101 \\
    --size 1920x1080 --loop 60
  spotloop screens create --from door.json --dry-run`;

const UPDATE_EXAMPLES = `
Examples:
  spotloop screens update door-1 --loop 90
  spotloop screens update door-1 --archived yes --yes`;

const REQUIRED = ["screen_id", "title", "location_id", "venue_type_id", "width", "height", "loop_duration"];

async function create(flags: WriteFlags): Promise<void> {
  const written = writtenBy(screenColumns, flags);
  endIfUnclear([...written.flaws, ...(flags.check ? missing(written) : [])], written, complaintsAbout(written, flags));
  const creation = written.fields as unknown as NewScreen;
  const connection = connect(flags);
  const subject = subjectOf(creation.screen_id, written.nameOf);
  const check = () => checkNewScreen(connection.reader, creation, connection.signal);
  const checked = flags.check ? await patiently(check) : null;
  const location = checked === null ? null : orEnd(checked, subject);
  if (flags.dryRun) return showRequest(connection, null, creation, flags);
  const screen = orEnd(await patiently(() => connection.service.createScreen(creation)), subject);
  if (flags.json) return printJson(screen);
  print(plain(`Screen ${screen.screen_id} is created at ${screen.location_id}.`), ...obstacles(screen, location));
}

/** What is required and was not said; a size is one flag for two fields. */
function missing({ fields, flaws, nameOf }: Written): Flaw[] {
  const wanted = REQUIRED.filter((field) => fields[field] === undefined).map(nameOf);
  const unsaid = [...new Set(wanted)].filter((where) => !flaws.some((flaw) => flaw.where === where));
  return unsaid.map((where) => ({ where, message: "is missing", kind: "usage" }));
}

async function get(id: string, flags: ConnectionFlags): Promise<void> {
  const { reader, signal, serviceTime } = connect(flags);
  const screen = orEnd(await patiently(() => reader.getScreen(id, signal)), subjectOf(id));
  if (flags.json) return printJson(screen);
  const [types, location] = [await reader.venueTree(signal), await reader.getLocation(screen.location_id, signal)];
  const tree = types.kind === "ok" ? types.value : null;
  const known = location.kind === "ok" ? location.value : null;
  const unknown =
    known === null ? [`Location ${plain(screen.location_id)} cannot be read: it may keep the screen from spots.`] : [];
  print(...screenText(screen, tree), ...obstacles(screen, known, { now: serviceTime(), tree }), ...unknown);
}

async function update(id: string, flags: WriteFlags): Promise<void> {
  const written = writtenBy(screenColumns, flags);
  endIfUnclear(updateFlaws(written), written, complaintsAbout(written, flags));
  const { screen_id: _, ...fields } = written.fields;
  await change(id, fields, flags, written.nameOf);
}

async function move(id: string, to: string, flags: WriteFlags & { readonly venueType?: string }): Promise<void> {
  const wanted: ScreenChange = { location_id: to, venue_type_id: flags.venueType };
  await change(id, wanted, flags, (field) => (field === "venue_type_id" ? "--venue-type" : "location"));
}

async function change(
  id: string,
  wanted: ScreenChange,
  flags: WriteFlags,
  nameOf: (field: string) => string,
): Promise<void> {
  const connection = connect(flags);
  const { service, reader, signal } = connection;
  const subject = subjectOf(id, nameOf);
  const stored = flags.check
    ? orEnd(await patiently(() => checkScreenUpdate(reader, id, wanted, signal)), subject).stored
    : orEnd(await patiently(() => reader.getScreen(id, signal)), subject);
  if (flags.dryRun) return showRequest(connection, id, wanted, flags);
  const isSo = differences(stored, wanted).length === 0;
  await announce(stored, wanted, screenEffects(stored, wanted), { yes: flags.yes === true, nameOf });
  const screen = isSo ? stored : orEnd(await patiently(() => service.updateScreen(id, wanted)), subject);
  if (flags.json) return printJson(screen);
  const where = screen.location_id === stored.location_id ? "updated" : `at ${screen.location_id} now`;
  const location = isSo ? null : await reader.getLocation(screen.location_id, signal);
  print(
    plain(`Screen ${screen.screen_id} is ${isSo ? "so already; nothing was sent" : where}.`),
    ...(location?.kind === "ok" ? obstacles(screen, location.value) : []),
  );
}

/** What is wrong with the fields by themselves, before the service is asked. */
function complaintsAbout({ fields }: Written, { check }: WriteFlags): readonly FieldError[] {
  return check ? screenComplaints(fields, null, undefined, null) : [];
}

function showRequest({ baseUrl }: Connection, id: string | null, body: object, { json }: WriteFlags): void {
  const route = id === null ? "screens" : "screen";
  printRequest({ baseUrl, route, parameters: { screen_id: id ?? "" }, body }, json === true);
}

function subjectOf(id: string, nameOf: (field: string) => string = (field) => field) {
  return { what: `screen ${id}`, nameOf, look: `spotloop screens get ${id}` };
}
