import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Command } from "commander";
import type { VenueTree } from "../../core/inventory/rules.ts";
import { readAccess } from "../../player/config/access.ts";
import { type Config, readConfig } from "../../player/config/config.ts";
import { type Environment, textAt } from "../../player/config/environment.ts";
import type { Uplink } from "../../player/network/uplink.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { findingLines, report } from "../doctor/command.ts";
import { examine } from "../doctor/examine.ts";
import { codeOf, type Finding } from "../doctor/finding.ts";
import { plain, print, printJson } from "../text.ts";
import { Questions } from "../vendor/asking.ts";
import { endIfFlawed, type Flaw, orEnd, patiently } from "../vendor/calls.ts";
import {
  badAccess,
  type Connection,
  type ConnectionFlags,
  connectionTo,
  endIfStrangeToken,
  overruled,
  withConnection,
} from "../vendor/connection.ts";
import { nextSteps, obstacles } from "../vendor/views.ts";
import { flagOf, sayingsOf } from "../vendor/written.ts";
import { answersFrom } from "./answers.ts";
import { type BatchFlags, provisionMany } from "./batch/command.ts";
import {
  configTarget,
  endIfUnwritable,
  makeRecordKey,
  type TokenPlace,
  writeConfig,
  writtenConfig,
} from "./config-file.ts";
import { locationMade, type PlaceFlags, placeFor, placeWritten, storedLocation } from "./place.ts";
import {
  agreeTo,
  endIfMisnamed,
  idColumn,
  LOOP_SECONDS,
  type ScreenFlags,
  screenFor,
  screenMade,
  screenWritten,
  storedScreen,
  withStored,
} from "./screen.ts";
import { canStartService, STARTS } from "./service.ts";

interface ProvisionFlags extends PlaceFlags, ScreenFlags, Partial<BatchFlags> {
  readonly from?: string;
  readonly start: boolean;
  readonly healthPort?: string;
}

/** `spotloop provision`: turns this machine into a screen of the network. */
export function provisionCommand(): Command {
  const command = new Command("provision")
    .description("turn this machine into a screen: location, screen, configuration, and a look at all of it")
    .option("--from <file>", "a JSON file that says what these flags would, without questions; flags overrule it")
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
    .option("--no-start", "as root, with the package: leave the player's service as it is")
    .option("--data-dir <folder>", "where the player keeps proofs, media and logs; by default where it always does")
    .option("--health-port <port>", "of its health pages on this machine; 0 is any free one, off is none")
    .optionsGroup("Many at once:")
    .option("--batch <file>", "a CSV with a row for each PC: makes locations and screens, and a file for each PC")
    .option("--out <folder>", "where the files of the PCs are written, by the screens' identifiers")
    .option("--cloud-init", "write what cloud-init reads at a PC's first boot, instead of configurations")
    .option("--with-token", "have these files hold the organization token; else you bring it to each PC")
    .option("--dry-run", "show what would be made, and make nothing")
    .option("--all", "show every row that differs, not the first only")
    .addHelpText("after", HELP)
    .action(provision);
  return withConnection(command);
}

const HELP = `
On a terminal it asks for what is not given. It writes the configuration to --config, else where one
is already, else to the first place where the player looks. The token goes into a file beside it,
which only its owner reads; one that is in a file already stays there, closed to others. As root, with
the package installed, it then enables and starts the service, and waits a minute for its first spot.

Example:
  spotloop provision --base-url https://network.example --org-token-file token --id door-1 \\
    --location gym-1 --location-title "Gym" --venue-type 40101 --lat 52.5 --long 13.4 \\
    --open "mon-fri 08:00-20:00" --visitors 120,110,115,130,180,240,90

A file for --batch, columns in any order; what a location has is said in one of its rows:
  id,title,location,venue-type,size,loop,location-title,lat,long,open,visitors
  door-1,Door,gym-1,40101,1920x1080,60,Gym,52.5,13.4,always,120 110 115 130 180 240 90
  wall-1,Wall,gym-1,40102,3840x2160,60,,,,,`;

async function provision(given: ProvisionFlags): Promise<void> {
  endIfFlawed(misfits(given));
  const { batch } = given;
  if (batch !== undefined) {
    endIfFlawed(portIn(given).flaws);
    return provisionMany({ ...given, batch }, portIn(given).port);
  }
  const answers = given.from === undefined ? {} : answersFrom(given.from);
  const sayings = sayingsOf(given.from ?? "", Object.keys(answers), given);
  const flags: ProvisionFlags = { ...answers, ...given, sayings };
  const questions = new Questions(given.from === undefined);
  const path = configTarget(flags.config ?? null, process.env);
  writtenConfig(path);
  endIfUnwritable(path);
  const before = playedBy(path, flags);
  const asked = await identified(flags, questions);
  const { token, ...service } = await serviceFor(path, flags, process.env, questions);
  const { baseUrl } = service;
  const connection = connectionTo(service);
  const tree = await treeOf(connection);
  const there = await storedLocation(asked.location, connection);
  const stored = await storedScreen(asked.id, connection);
  endIfMisnamed(asked, stored, there);
  const place = await placeFor(there, asked, connection, tree, questions);
  const { screen, nameOf } = await screenFor(withStored(asked, stored), place, tree, questions);

  await agreeTo(screen, stored, { yes: flags.yes === true, isAsked: questions.isAnswered }, nameOf);
  const location = await locationMade(place, connection);
  const made = await screenMade(screen, stored, connection, nameOf);
  const dataDir = flags.dataDir === undefined ? undefined : resolve(flags.dataDir);
  const wanted = { baseUrl, screenId: made.screen.screen_id, token, dataDir, healthPort: portIn(flags).port };
  const kept = writeConfig(path, wanted);
  makeRecordKey(path, written(process.env, flags));
  const lines = [
    `Location ${location.location_id} is ${place.kind === "new" ? "created" : "there already"}: ${location.status}.`,
    `Screen ${made.screen.screen_id} is ${made.done}: ${made.screen.width}x${made.screen.height}.`,
    `The configuration is ${path}.`,
    kept.told,
  ];
  if (!flags.json) print(...lines.map(plain), "");
  // Moved or new, the screen may have sent its location to review.
  const now = await connection.service.getLocation(location.location_id);
  const isStarted = flags.start && canStartService(path, process.env);
  const reviewed = now.kind === "ok" ? now.value : location;
  await finish({ config: path, orgTokenFile: kept.path }, made.screen, reviewed, flags, isStarted);
  if (!isStarted) return;
  // One that waits for a configuration sees it by itself; one that plays goes on by what it began with.
  const isStale = before !== null && !isDeepStrictEqual(before, playedBy(path, flags));
  throw new CommandFailure("", isStale ? STARTS.restart : STARTS.start);
}

/** The configuration that a player may be playing by; null where none can. */
function playedBy(path: string, flags: ProvisionFlags): Config | null {
  const reading = readConfig({ path, env: written(process.env, flags) });
  return reading.kind === "ok" ? reading.config : null;
}

interface Service {
  readonly baseUrl: string;
  readonly orgToken: string;
  readonly uplink: Uplink;
  readonly token: TokenPlace;
}

/**
 * Where the service is and the token: from flags, environment and what is configured at `path` already, asking for what
 * none of them says. Ends the command with 78 where that is not enough.
 */
async function serviceFor(
  path: string,
  flags: ConnectionFlags,
  env: Environment,
  questions: Questions,
): Promise<Service> {
  const told = overruled(flags, env);
  const reading = readAccess({ path, env: told }, true);
  const lacks = (setting: string) => reading.kind === "bad" && reading.problems.some((one) => one.path === setting);
  const baseUrl = lacks("baseUrl") ? await questions.text("Service address:") : null;
  const orgToken = lacks("orgToken") ? await questions.secret("Organization token:") : null;
  const asked = {
    ...(baseUrl === null ? {} : { SPOTLOOP_BASE_URL: baseUrl }),
    ...(orgToken === null ? {} : { SPOTLOOP_ORG_TOKEN: orgToken }),
  };
  const complete = readAccess({ path, env: { ...told, ...asked } }, true);
  if (complete.kind === "bad") throw badAccess(complete, flags, true);
  endIfStrangeToken(complete.access, flags, { ...told, ...asked });
  return { ...complete.access, token: placeOf({ ...told, ...asked }, complete.access.orgToken, path) };
}

/** A file that holds the token already stays where it is. */
function placeOf(env: Environment, token: string, path: string): TokenPlace {
  if (env.SPOTLOOP_ORG_TOKEN) return { kind: "here", token };
  if (env.SPOTLOOP_ORG_TOKEN_FILE) return { kind: "file", path: env.SPOTLOOP_ORG_TOKEN_FILE, token };
  const configured = textAt(writtenConfig(path), "orgTokenFile");
  return configured === null
    ? { kind: "here", token }
    : { kind: "configured", path: resolve(dirname(path), configured) };
}

/** Flags that make sense with `--batch` only, or without it only. */
function misfits(given: ProvisionFlags): Flaw[] {
  const names = Object.keys(given).filter((name) => !ALWAYS.has(name));
  const [strange, message] =
    given.batch === undefined
      ? [names.filter((name) => ONLY_BATCH.has(name)), "goes with --batch only"]
      : [names.filter((name) => !ONLY_BATCH.has(name) && !WITH_BATCH.has(name)), "does not go with --batch"];
  return strange.map((name) => ({ where: flagOf(name), message, kind: "usage" }));
}

/** Always there, as commander has it. */
const ALWAYS: ReadonlySet<string> = new Set(["start"]);
const ONLY_BATCH: ReadonlySet<string> = new Set(["batch", "out", "cloudInit", "withToken", "dryRun", "all"]);
const WITH_BATCH: ReadonlySet<string> = new Set([
  ...["config", "baseUrl", "orgTokenFile", "json", "yes", "dataDir", "healthPort"],
]);

/** The port of the health pages; `null` is none of them, `undefined` none that was said. */
function portIn({ healthPort }: ProvisionFlags): { readonly port: number | null | undefined; readonly flaws: Flaw[] } {
  if (healthPort === undefined) return { port: undefined, flaws: [] };
  if (healthPort === "off") return { port: null, flaws: [] };
  const port = Number(healthPort);
  if (/^\d{1,5}$/.test(healthPort) && port <= LAST_PORT) return { port, flaws: [] };
  const message = `must be a port from 0 to ${LAST_PORT}, or off`;
  return { port: undefined, flaws: [{ where: "--health-port", message, kind: "usage" }] };
}

const LAST_PORT = 65_535;

/** The venue types; null from a service that does not list them, and then judges them by itself. */
async function treeOf({ reader, signal }: Connection): Promise<VenueTree | null> {
  const listed = await patiently(() => reader.venueTree(signal));
  if (listed.kind === "notFound" || listed.kind === "invalid") return null;
  return orEnd(listed, { what: "list of venue types" });
}

/** The identifiers, and every flag that cannot be read: before anything is asked of the service. */
async function identified(flags: ProvisionFlags, questions: Questions) {
  const id = flags.id ?? (await questions.field("Identifier of this screen:", idColumn("id"), offeredId()));
  const location = flags.location ?? (await questions.field("Identifier of its location:", idColumn("location"), null));
  const missing: Flaw[] = [
    ...(id === null ? [{ where: "--id", message: "is missing", kind: "usage" as const }] : []),
    ...(location === null ? [{ where: "--location", message: "is missing", kind: "usage" as const }] : []),
  ];
  const folder = flags.dataDir === "" ? [{ where: "--data-dir", message: "is empty", kind: "usage" as const }] : [];
  const settings = [...folder, ...portIn(flags).flaws];
  endIfFlawed([...missing, ...placeWritten(flags).flaws, ...screenWritten(flags).flaws, ...settings]);
  return { ...flags, id: id ?? "", location: location ?? "" };
}

/** The machine's own name, as far as it can be an identifier (A17). */
function offeredId(): string {
  return hostname()
    .replace(/[^A-Za-z0-9_.-]/g, "-")
    .slice(0, 64);
}

/** Looks at what was made as the player will, and says what is still missing. */
async function finish(
  files: { readonly config: string; readonly orgTokenFile: string },
  screen: Screen,
  location: Location,
  flags: ProvisionFlags,
  isStarted: boolean,
): Promise<void> {
  const { findings } = await examine(files.config, written(process.env, flags));
  const missing = location.status === "APPROVED" ? obstacles(screen, location) : nextSteps(location);
  if (flags.json) printJson({ screen, location, ...files, missing, doctor: report(findings) });
  else print(...findingLines(findings), "", ...ending(missing, findings, isStarted));
  const code = codeOf(findings);
  if (code !== exitCodes.stopped) throw new CommandFailure("", code);
}

/** The environment without what the file says now: the player is to find it there. */
function written(env: Environment, { dataDir, healthPort }: ProvisionFlags): Environment {
  const names = new Set([
    ...["SPOTLOOP_BASE_URL", "SPOTLOOP_ORG_TOKEN", "SPOTLOOP_ORG_TOKEN_FILE", "SPOTLOOP_SCREEN_ID"],
    ...(dataDir === undefined ? [] : ["SPOTLOOP_DATA_DIR"]),
    ...(healthPort === undefined ? [] : ["SPOTLOOP_HEALTH_PORT"]),
  ]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** What is left to do; a player that is started next is told of by then. */
function ending(missing: readonly string[], findings: readonly Finding[], isStarted: boolean): string[] {
  const failed = findings.filter(({ verdict }) => verdict === "failed").length;
  if (failed > 0) return ["Mend what failed, and look again with: spotloop doctor"];
  if (missing.length === 0) return [isStarted ? "All is ready." : "All is ready: start the player."];
  const before = isStarted ? "Before ads can run:" : "The player can be started. Before ads can run:";
  return [before, ...missing.map((line) => `- ${line}`)];
}
