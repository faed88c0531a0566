import { execFileSync } from "node:child_process";
import { accessSync, chownSync, constants, existsSync, mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { surroundingsOf } from "../../player/config/config.ts";
import type { Environment } from "../../player/config/environment.ts";
import { readJsonFile } from "../../player/config/file.ts";
import { configPlaces } from "../../player/config/places.ts";
import { CommandFailure, exitCodes } from "../exit.ts";

/** Where the token is to be found: where the configuration says already, in another file, or to be written beside it. */
export type TokenPlace =
  | { readonly kind: "configured" }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "here"; readonly token: string };

/** Only its owner reads a file that holds the token, or says where it is. */
const PRIVATE = 0o600;

/** Where a configuration is to be written: where one is named or lies already, else the first place that can be written. */
export function configTarget(named: string | null, env: Environment): string {
  const places = configPlaces(named, surroundingsOf({ path: named, env }));
  const found = places.find((place) => existsSync(place)) ?? places.find((place) => canWriteBelow(dirname(place)));
  return found ?? places.at(-1) ?? "config.json";
}

/** Ends the command with 78 where no configuration could be written, before anything is made that needs one. */
export function endIfUnwritable(path: string): void {
  const isWritable = canWriteBelow(dirname(path)) && (!existsSync(path) || canWrite(path));
  if (isWritable) return;
  const message = `${path} cannot be written by this user; name another with --config`;
  throw new CommandFailure(message, exitCodes.configuration);
}

/** What a configuration file holds; empty where there is none. Ends the command with 78 where it cannot be read. */
export function writtenConfig(path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) return {};
  const file = readJsonFile(path);
  const isObject = file.kind === "value" && typeof file.value === "object" && !Array.isArray(file.value);
  if (isObject) return { ...file.value };
  const why = file.kind === "unreadable" ? file.problem.message : "It holds no object.";
  throw new CommandFailure(
    `${path} is there and cannot be used: ${why} Mend it or move it away.`,
    exitCodes.configuration,
  );
}

/**
 * Writes the configuration, whole or not at all; what else stood in it stays. The token goes into a file of its own
 * beside it. Both can be read by their owner only: the service's user in the service's folder, where there is one.
 */
export function writeConfig(path: string, baseUrl: string, screenId: string, token: TokenPlace): void {
  const { orgToken: _, orgTokenFile, screens, ...before } = writtenConfig(path);
  const access = { ...before, baseUrl, orgTokenFile: tokenFile(token) ?? orgTokenFile };
  const config = Array.isArray(screens)
    ? { ...access, screens: including(screenId, screens) }
    : { ...access, screenId };
  try {
    mkdirSync(dirname(path), { recursive: true });
    if (token.kind === "here") replace(join(dirname(path), TOKEN_FILE), `${token.token}\n`);
    replace(path, `${JSON.stringify(config, null, 2)}\n`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : String(error);
    throw new CommandFailure(
      `${path} cannot be written (${code}); name another with --config`,
      exitCodes.configuration,
    );
  }
}

/** A machine of several screens gets one more, unless it has it already. */
function including(screenId: string, screens: readonly unknown[]): readonly unknown[] {
  const has = screens.some((entry) => z.object({ screenId: z.literal(screenId) }).safeParse(entry).success);
  return has ? screens : [...screens, { screenId }];
}

const TOKEN_FILE = "org-token";

function tokenFile(token: TokenPlace): string | null {
  if (token.kind === "configured") return null;
  return token.kind === "file" ? resolve(token.path) : TOKEN_FILE;
}

function replace(path: string, text: string): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, text, { mode: PRIVATE });
  const owner = dirname(path) === SERVICE_FOLDER ? serviceUser() : null;
  if (owner !== null) chownSync(unfinished, owner.uid, owner.gid);
  renameSync(unfinished, path);
}

const SERVICE_FOLDER = "/etc/spotloop";

/** The user of the systemd unit, where this is root and there is one. */
function serviceUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  try {
    const id = (flag: string) => Number(execFileSync("id", [flag, "spotloop"], { encoding: "utf8", stdio: "pipe" }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return null;
  }
}

function canWriteBelow(folder: string): boolean {
  if (existsSync(folder)) return statSync(folder).isDirectory() && canWrite(folder);
  return dirname(folder) !== folder && canWriteBelow(dirname(folder));
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
