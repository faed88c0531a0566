import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Command, Option } from "commander";
import envPaths from "env-paths";
import { type Answer, ok } from "../../client/answer.ts";
import type { Reader } from "../../client/checks.ts";
import { toldTime } from "../../client/reply.ts";
import { VendorClient } from "../../client/vendor-client.ts";
import type { VenueTree, VenueType } from "../../core/inventory/rules.ts";
import type { Instant } from "../../core/spot.ts";
import { type Access, readAccess } from "../../player/config/access.ts";
import { type BadConfig, explained, WRITE_ONE } from "../../player/config/config.ts";
import type { Environment } from "../../player/config/environment.ts";
import { problemsOf } from "../../player/config/problems.ts";
import { orgTokenSchema } from "../../player/config/values.ts";
import { type Requests, requestsBy } from "../../player/network/uplink.ts";
import { venueTypesSchema } from "../../wire/inventory.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { say } from "../text.ts";
import { flawText } from "./calls.ts";

/** What every command that talks to the service is told. */
export interface ConnectionFlags {
  readonly config?: string;
  readonly baseUrl?: string;
  readonly orgTokenFile?: string;
  readonly json?: true;
  readonly yes?: true;
}

/** The service as a command's flags, the environment and the configuration say. */
export interface Connection {
  readonly baseUrl: string;
  readonly orgToken: string;
  /** How all of its requests are sent. */
  readonly requests: Requests;
  /** Sends what it is given unchecked: commands check before they ask for a yes. */
  readonly service: VendorClient;
  /** What checks read; the venue types of today's cache among it. */
  readonly reader: Reader;
  /** Never raised; for what wants one. */
  readonly signal: AbortSignal;
  /** The service's clock as its last answer told it, epoch milliseconds; this machine's where none has. */
  readonly serviceTime: () => Instant;
}

/** Adds the options that every command has which talks to the service. */
export function withConnection(command: Command): Command {
  const add = (flags: string, description: string) => {
    command.addOption(new Option(flags, description).helpGroup("Everywhere:"));
  };
  add("--config <file>", "configuration file; by default the player's");
  add("--base-url <url>", "where the service is (or SPOTLOOP_BASE_URL)");
  add("--org-token-file <file>", "a file with the token (or SPOTLOOP_ORG_TOKEN)");
  add("--json", "print the object alone, as JSON");
  add("--yes", "do not ask");
  return command.helpOption("-h, --help", "show this").helpGroup("Commands:");
}

/** Reads where the service is and the token; ends the command with 78 and all that is wrong with them. */
export function connect(flags: ConnectionFlags, env: Environment = process.env): Connection {
  const told = overruled(flags, env);
  const reading = readAccess({ path: flags.config ?? null, env: told });
  if (reading.kind === "bad") throw badAccess(reading, flags);
  endIfStrangeToken(reading.access, flags, told);
  for (const warning of reading.access.warnings) say(`warning: ${warning}`);
  return connectionTo(reading.access);
}

/** The service at an address, for an organization, by an uplink. */
export function connectionTo({
  baseUrl,
  orgToken,
  uplink,
}: Pick<Access, "baseUrl" | "orgToken" | "uplink">): Connection {
  let aheadMs = 0;
  const requests = heard(requestsBy(uplink), baseUrl, (time) => {
    aheadMs = time - Date.now();
  });
  const service = new VendorClient({ baseUrl, orgToken, ...requests, check: false, retryMs: RETRY_MS });
  const reader: Reader = {
    getLocation: (id, signal) => service.getLocation(id, signal),
    getScreen: (id, signal) => service.getScreen(id, signal),
    getApproval: (id, signal) => service.getApproval(id, signal),
    venueTree: (signal, again) => cachedTree(service, `${baseUrl} ${orgToken}`, signal, again),
  };
  const { signal } = new AbortController();
  return { baseUrl, orgToken, requests, service, reader, signal, serviceTime: () => Date.now() + aheadMs };
}

/** Requests whose answers are asked for the service's time as they come (G13). */
function heard(requests: Requests, baseUrl: string, onTime: (time: Instant) => void): Requests {
  return {
    ...requests,
    async fetch(...request) {
      const reply = await requests.fetch(...request);
      const time = toldTime(baseUrl, String(request[0]), reply)?.time ?? null;
      if (time !== null) onTime(time);
      return reply;
    },
  };
}

/** Somebody waits at the terminal. */
const RETRY_MS = 200;

/** The environment with what the command line says in its place. */
export function overruled({ baseUrl, orgTokenFile }: ConnectionFlags, env: Environment): Environment {
  const token = orgTokenFile === undefined ? {} : { SPOTLOOP_ORG_TOKEN: "", SPOTLOOP_ORG_TOKEN_FILE: orgTokenFile };
  return { ...env, ...(baseUrl === undefined ? {} : { SPOTLOOP_BASE_URL: baseUrl }), ...token };
}

/**
 * Ends a command for want of a service address or a token: all that is wrong with them, and where to give them. `isNew`:
 * the command is the one that writes a configuration.
 */
export function badAccess(bad: Omit<BadConfig, "watch">, flags: ConnectionFlags, isNew = false): CommandFailure {
  const { path, problems, absentFrom } = bad;
  const flaws = problems.map(({ path: setting, message }) => {
    const said = byFlag(message, flags);
    const ways = WAYS[setting];
    return { where: setting, message: ways === undefined || said !== message ? said : `${message}. Give ${ways}.` };
  });
  const text = accessText(path, absentFrom, flaws);
  const advice = absentFrom.length === 0 || isNew ? "" : `\n${WRITE_ONE}`;
  return new CommandFailure(`${text}${advice}`, exitCodes.configuration);
}

/** Ends a command whose token no service could know, such as one that was pasted with the end of its line. */
export function endIfStrangeToken({ orgToken, path }: Access, flags: ConnectionFlags, env: Environment): void {
  const message = tokenFlaw(orgToken);
  if (message === null) return;
  const problems = explained([{ path: "orgToken", message }], env);
  // Where there is no file, a variable is what has to be mended.
  throw badAccess({ kind: "bad", path: path ?? "", absentFrom: path === null ? [""] : [], problems }, flags, true);
}

/** What is wrong with a token, in words that follow its name, or null. */
export function tokenFlaw(orgToken: string): string | null {
  const read = orgTokenSchema.safeParse(orgToken);
  return read.success ? null : (problemsOf(read.error, orgToken)[0]?.message ?? null);
}

type Flaws = Parameters<typeof flawText>[0];

/** A configuration that is not there is no mistake in it; nor are flags and variables that stand in for one. */
function accessText(path: string, absentFrom: readonly string[], flaws: Flaws): string {
  const said = flawText(flaws);
  if (absentFrom.length === 0) return `The configuration ${path} cannot be used: ${said}`;
  const isNamed = flaws.some(({ where }) => where === "");
  const isWanted = isNamed || flaws.some(({ message }) => message.startsWith("is missing"));
  return isWanted ? `There is no configuration yet at ${absentFrom.join(" or ")}: ${said}` : said;
}

/** Flags stand in for variables, and are what the user gave. */
function byFlag(message: string, { baseUrl, orgTokenFile }: ConnectionFlags): string {
  const named = orgTokenFile === undefined ? message : message.replace("SPOTLOOP_ORG_TOKEN_FILE", "--org-token-file");
  return baseUrl === undefined ? named : named.replace("SPOTLOOP_BASE_URL", "--base-url");
}

const WAYS: Readonly<Record<string, string>> = {
  baseUrl: "--base-url or SPOTLOOP_BASE_URL",
  orgToken: "--org-token-file or SPOTLOOP_ORG_TOKEN",
};

/** Venue types may be kept for so long (A19). */
export const KEPT_MS = 24 * 3_600_000;

/**
 * A service's venue types by id, from this user's cache for a day, else from the service; `again`: not from the cache.
 * `whose` names service and organization; only its hash is written down.
 */
async function cachedTree(
  service: VendorClient,
  whose: string,
  signal: AbortSignal,
  again = false,
): Promise<Answer<VenueTree>> {
  const file = fileOf(whose);
  const kept = again ? null : readKept(file);
  if (kept !== null) return ok(treeOf(kept));
  const listed = await service.listVenueTypes(signal);
  if (listed.kind !== "ok") return listed;
  keep(file, listed.value);
  return ok(treeOf(listed.value));
}

function treeOf(types: readonly VenueType[]): VenueTree {
  return new Map(types.map((type) => [type.id, type]));
}

function fileOf(whose: string): string {
  const name = createHash("sha256").update(whose).digest("hex").slice(0, 16);
  return join(envPaths("spotloop", { suffix: "" }).cache, `venue-types-${name}.json`);
}

/** What was kept less than a day ago, or null; a file that cannot be read is as good as none. */
function readKept(file: string): readonly VenueType[] | null {
  try {
    const ageMs = Date.now() - statSync(file).mtimeMs;
    if (ageMs < 0 || ageMs > KEPT_MS) return null;
    return venueTypesSchema.safeParse(JSON.parse(readFileSync(file, "utf8"))).data ?? null;
  } catch {
    return null;
  }
}

/** Where nothing can be kept, the service is asked each time. */
function keep(file: string, types: readonly VenueType[]): void {
  try {
    mkdirSync(join(file, ".."), { recursive: true });
    const unfinished = `${file}.${process.pid}`;
    writeFileSync(unfinished, JSON.stringify(types), { mode: 0o600 });
    renameSync(unfinished, file);
  } catch {
    return;
  }
}
