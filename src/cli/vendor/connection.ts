import { type Command, Option } from "commander";
import type { Reader } from "../../client/checks.ts";
import { VendorService } from "../../client/vendor-service.ts";
import { readAccess } from "../../player/config/access.ts";
import type { BadConfig } from "../../player/config/config.ts";
import type { Environment } from "../../player/config/environment.ts";
import { CommandFailure, exitCodes } from "../exit.ts";
import { say } from "../text.ts";
import { flawText } from "./flaws.ts";
import { cachedTree } from "./venue-cache.ts";

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
  /** Sends what it is given unchecked: commands check before they ask for a yes. */
  readonly service: VendorService;
  /** What checks read; the venue types of today's cache among it. */
  readonly reader: Reader;
  /** Never raised; for what wants one. */
  readonly signal: AbortSignal;
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
  const reading = readAccess({ path: flags.config ?? null, env: overruled(flags, env) });
  if (reading.kind === "bad") throw badAccess(reading, flags);
  const { baseUrl, orgToken, warnings } = reading.access;
  for (const warning of warnings) say(`warning: ${warning}`);
  return connectionTo(baseUrl, orgToken);
}

/** The service at an address, for an organization. */
export function connectionTo(baseUrl: string, orgToken: string): Connection {
  const service = new VendorService({ baseUrl, orgToken, check: false, retryMs: RETRY_MS });
  const reader: Reader = {
    getLocation: (id, signal) => service.getLocation(id, signal),
    getScreen: (id, signal) => service.getScreen(id, signal),
    getApproval: (id, signal) => service.getApproval(id, signal),
    venueTree: (signal, again) => cachedTree(service, `${baseUrl} ${orgToken}`, signal, again),
  };
  return { baseUrl, orgToken, service, reader, signal: new AbortController().signal };
}

/** Somebody waits at the terminal. */
const RETRY_MS = 200;

/** The environment with what the command line says in its place. */
export function overruled({ baseUrl, orgTokenFile }: ConnectionFlags, env: Environment): Environment {
  const token = orgTokenFile === undefined ? {} : { SPOTLOOP_ORG_TOKEN: "", SPOTLOOP_ORG_TOKEN_FILE: orgTokenFile };
  return { ...env, ...(baseUrl === undefined ? {} : { SPOTLOOP_BASE_URL: baseUrl }), ...token };
}

/** Ends a command for want of a service address or a token: all that is wrong with them, and where to give them. */
export function badAccess({ path, problems }: Omit<BadConfig, "watch">, flags: ConnectionFlags): CommandFailure {
  const flaws = problems.map(({ path: setting, message }) => {
    const said = byFlag(message, flags);
    const ways = WAYS[setting];
    return { where: setting, message: ways === undefined || said !== message ? said : `${message}. Give ${ways}.` };
  });
  return new CommandFailure(`The configuration ${path} cannot be used: ${flawText(flaws)}`, exitCodes.configuration);
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
