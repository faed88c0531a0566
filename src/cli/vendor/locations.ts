import { Command } from "commander";
import { checkLocationUpdate, checkNewLocation, type NewLocation } from "../../client/checks.ts";
import { differences, locationEffects } from "../../core/inventory/changes.ts";
import { locationComplaints } from "../../core/inventory/check.ts";
import type { FieldError } from "../../core/inventory/rules.ts";
import type { LocationChange } from "../../wire/inventory.ts";
import { plain, print, printJson, say } from "../text.ts";
import { applyLocationsCommand } from "./apply/command.ts";
import { announce } from "./asking.ts";
import { type Flaw, orEnd, patiently, printRequest } from "./calls.ts";
import { locationColumns } from "./columns.ts";
import { type Connection, type ConnectionFlags, connect, withConnection } from "./connection.ts";
import { locationText, nextSteps } from "./views.ts";
import { endIfUnclear, updateFlaws, type WriteFlags, type Written, writtenBy } from "./written.ts";

/** `spotloop locations`: the places where screens stand. */
export function locationsCommand(): Command {
  return new Command("locations")
    .description("register and maintain the places where screens stand")
    .addCommand(withConnection(createCommand()))
    .addCommand(withConnection(getCommand()))
    .addCommand(withConnection(updateCommand()))
    .addCommand(withConnection(submitCommand()))
    .addCommand(applyLocationsCommand());
}

function createCommand(): Command {
  return withFields(
    new Command("create").description("create a location; with all fields it goes to the operator's review"),
  )
    .option("--id <id>", "its identifier; without one the service chooses")
    .option("--from <file>", "a JSON object with its fields; - is standard input; flags go before it")
    .option("--dry-run", "show the request instead of sending it")
    .option("--no-check", "leave the rules to the service")
    .addHelpText("after", CREATE_EXAMPLES)
    .action(create);
}

function getCommand(): Command {
  return new Command("get")
    .description("show a location, its week and what it lacks")
    .argument("<id>")
    .addHelpText(
      "after",
      "\nExamples:\n  spotloop locations get gym-1\n  spotloop locations get gym-1 --json > gym-1.json",
    )
    .action(get);
}

function updateCommand(): Command {
  return withFields(
    new Command("update").description("change the fields that are given; an empty --email or --phone clears it"),
  )
    .argument("<id>")
    .option("--available-for-ads <yes|no>", "whether it can take campaigns; once it is APPROVED")
    .option("--from <file>", "a JSON object with the fields to change; - is standard input; flags go before it")
    .option("--dry-run", "show the request instead of sending it")
    .option("--no-check", "leave the rules to the service")
    .addHelpText("after", UPDATE_EXAMPLES)
    .action(update);
}

function submitCommand(): Command {
  return new Command("submit")
    .description("send a draft to the operator's review")
    .argument("<id>")
    .option("--dry-run", "show the request instead of sending it")
    .option("--no-check", "leave the rules to the service")
    .addHelpText("after", "\nExample:\n  spotloop locations submit gym-1")
    .action((id: string, flags: WriteFlags) => change(id, { status: "REVIEW" }, flags, (field) => field));
}

function withFields(command: Command): Command {
  return command
    .option("--title <text>", "display name")
    .option("--venue-type <id>", "venue type of level 2: spotloop venue-types")
    .option("--lat <degrees>", "latitude, -90 to 90")
    .option("--long <degrees>", "longitude, -180 to 180")
    .option("--open <hours>", 'opening hours: "mon-fri 08:00-20:00, sat 10:00-18:00", always, never')
    .option("--visitors <numbers>", "visitors a day, Monday first: 120,110,115,130,180,240,90")
    .option("--email <address>", "of a contact")
    .option("--phone <number>", "of a contact")
    .option("--archived <yes|no>", "whether it is out of use");
}

const CREATE_EXAMPLES = `
Examples:
  spotloop locations create --id gym-1 --title "Gym" --venue-type 401 --lat 52.5 --long 13.4 \\
    --open "mon-fri 08:00-20:00, sat 10:00-18:00" --visitors 120,110,115,130,180,240,90
  spotloop locations create --from gym.json --dry-run`;

const UPDATE_EXAMPLES = `
Examples:
  spotloop locations update gym-1 --title "Gym by the park"
  spotloop locations update gym-1 --available-for-ads no --yes`;

async function create(flags: WriteFlags): Promise<void> {
  const written = writtenBy(locationColumns, flags);
  const missing: Flaw[] = written.fields.title === undefined && flags.check ? [MISSING_TITLE] : [];
  endIfUnclear([...written.flaws, ...missing], written, complaintsAbout(written, flags));
  const creation = newLocation(written.fields);
  const connection = connect(flags);
  const subject = subjectOf(creation.location_id ?? "", written.nameOf);
  const check = () => checkNewLocation(connection.reader, creation, connection.signal);
  if (flags.check) orEnd(await patiently(check), subject);
  if (written.fields.available_for_ads !== undefined) {
    const name = written.nameOf("available_for_ads");
    say(`${name} is left out of a new location: it can be set once it is APPROVED.`);
  }
  if (flags.dryRun) return showRequest(connection, null, creation, flags);
  const location = orEnd(await patiently(() => connection.service.createLocation(creation)), subject);
  if (flags.json) return printJson(location);
  print(`Location ${plain(location.location_id)} is created: ${location.status}.`, ...nextSteps(location));
}

/** Only an update can set `available_for_ads` (contract, "Location"; B7). */
export function newLocation({ available_for_ads: _, ...fields }: Written["fields"]): NewLocation {
  return fields as unknown as NewLocation;
}

const MISSING_TITLE: Flaw = { where: "--title", message: "is missing", kind: "usage" };

async function get(id: string, flags: ConnectionFlags): Promise<void> {
  const { reader, signal } = connect(flags);
  const location = orEnd(await patiently(() => reader.getLocation(id, signal)), subjectOf(id));
  if (flags.json) return printJson(location);
  const tree = await reader.venueTree(signal);
  print(...locationText(location, tree.kind === "ok" ? tree.value : null));
}

async function update(id: string, flags: WriteFlags): Promise<void> {
  const written = writtenBy(locationColumns, flags);
  endIfUnclear(updateFlaws(written), written, complaintsAbout(written, flags));
  const { location_id: _, ...fields } = written.fields;
  await change(id, fields, flags, written.nameOf);
}

async function change(
  id: string,
  wanted: LocationChange,
  flags: WriteFlags,
  nameOf: (field: string) => string,
): Promise<void> {
  const connection = connect(flags);
  const { service, reader, signal } = connection;
  const subject = subjectOf(id, nameOf);
  const check = () => (flags.check ? checkLocationUpdate(reader, id, wanted, signal) : reader.getLocation(id, signal));
  const stored = orEnd(await patiently(check), subject);
  if (flags.dryRun) return showRequest(connection, id, wanted, flags);
  const isSo = differences(stored, wanted).length === 0;
  await announce(stored, wanted, locationEffects(stored, wanted), { yes: flags.yes === true, nameOf });
  const location = isSo ? stored : orEnd(await patiently(() => service.updateLocation(id, wanted)), subject);
  if (flags.json) return printJson(location);
  const outcome = isSo ? "is so already; nothing was sent" : `is updated: ${location.status}`;
  print(`Location ${plain(location.location_id)} ${outcome}.`, ...nextSteps(location));
}

/** What is wrong with the fields by themselves, before the service is asked. */
function complaintsAbout({ fields }: Written, { check }: WriteFlags): readonly FieldError[] {
  return check ? locationComplaints(fields, null) : [];
}

function showRequest({ baseUrl }: Connection, id: string | null, body: object, { json }: WriteFlags): void {
  const target = id === null ? { route: "locations" as const, id: "" } : { route: "location" as const, id };
  printRequest({ baseUrl, route: target.route, parameters: { location_id: target.id }, body }, json === true);
}

function subjectOf(id: string, nameOf: (field: string) => string = (field) => field) {
  const known = id === "" ? {} : { look: `spotloop locations get ${id}` };
  return { what: `location ${id}`.trim(), nameOf, ...known };
}
