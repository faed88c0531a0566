import { execFileSync } from "node:child_process";
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  lchownSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { type ConfigSource, readConfig, surroundingsOf } from "../../player/config/config.ts";
import type { Environment } from "../../player/config/environment.ts";
import { configPlaces, readJsonFile } from "../../player/config/file.ts";
import { openRecordKey, recordKeyPath } from "../../player/record/record-key.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";

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

/** What is to stand in a configuration; what is left out stays as it is. */
export interface Wanted {
  readonly baseUrl: string;
  readonly screenId: string;
  readonly token: TokenPlace;
  readonly dataDir?: string | undefined;
  /** `null`: no health pages. */
  readonly healthPort?: number | null | undefined;
}

/**
 * Writes the configuration, whole or not at all; what else stood in it stays. The token is in a file of its own. Both can be
 * read by their owner only: the service's user in the service's folder, where there is one.
 */
export function writeConfig(path: string, { baseUrl, screenId, token, dataDir, healthPort }: Wanted): TokenKept {
  const { orgToken: _, orgTokenFile, screens, ...before } = writtenConfig(path);
  try {
    mkdirSync(dirname(path), { recursive: true });
    const kept = keepToken(token, path);
    const config = {
      ...{ ...before, baseUrl, orgTokenFile: kept.setting ?? orgTokenFile },
      ...naming(screenId, screens),
      ...(dataDir === undefined ? {} : { dataDir }),
      ...(healthPort === undefined ? {} : { health: { ...sectionIn(before.health), port: healthPort } }),
    };
    writePrivately(path, `${JSON.stringify(config, null, 2)}\n`);
    return kept;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : String(error);
    throw new CommandFailure(
      `${path} cannot be written (${code}); name another with --config`,
      exitCodes.configuration,
    );
  }
}

function sectionIn(written: unknown): object {
  return typeof written === "object" && written !== null ? written : {};
}

/** What names the screen in a configuration: a machine of several screens gets one more, unless it has it already. */
export function naming(screenId: string, screens: unknown): object {
  if (!Array.isArray(screens)) return { screenId };
  const has = screens.some((entry) => z.object({ screenId: z.literal(screenId) }).safeParse(entry).success);
  return { screens: has ? screens : [...screens, { screenId }] };
}

/** Whether this user can write into a folder, or make it. */
export function canWriteBelow(folder: string): boolean {
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

/** Only its owner reads a file that holds the token, or says where it is. */
const PRIVATE = 0o600;
const OTHERS = 0o077;

/** Where the package's unit has its configuration. */
const SERVICE_FOLDER = "/etc/spotloop";

/** Writes a file, whole or not at all, for its owner only: the service's user in the service's folder, where there is one. */
export function writePrivately(path: string, text: string): void {
  const unfinished = `${path}.new`;
  // The service's folder is its user's: root writes into nothing that was there, and follows no link.
  rmSync(unfinished, { force: true });
  const file = openSync(unfinished, "wx", PRIVATE);
  try {
    writeFileSync(file, text);
    const owner = serviceUserFor(path);
    if (owner !== null) fchownSync(file, owner.uid, owner.gid);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
}

/** Whether others than its owner could read or change a file, and whether they still can. */
type Privacy = "private" | "mended" | "open";

/** Leaves a file to its owner alone; one of somebody else's stays as it is. */
function makePrivate(path: string): Privacy {
  if (process.platform === "win32" || (statSync(path).mode & OTHERS) === 0) return "private";
  try {
    chmodSync(path, PRIVATE);
    return "mended";
  } catch {
    return "open";
  }
}

/** Whether a file, once nobody but its owner may read it, could be read by whoever plays by the configuration at `config`. */
function isReadableForPlayer(path: string, config: string): boolean {
  const player = serviceUserFor(config);
  return player === null || statSync(path).uid === player.uid;
}

/** The user of the systemd unit, for files in its folder, where this is root and there is one. */
function serviceUserFor(path: string): { readonly uid: number; readonly gid: number } | null {
  if (dirname(path) !== SERVICE_FOLDER || process.getuid?.() !== 0) return null;
  try {
    const id = (flag: string) => Number(execFileSync("id", [flag, "spotloop"], { encoding: "utf8", stdio: "pipe" }));
    return { uid: id("-u"), gid: id("-g") };
  } catch {
    return null;
  }
}

/** Where the token is: in a file that the configuration names or is to name, or known and to be written beside it. */
export type TokenPlace =
  | { readonly kind: "configured"; readonly path: string }
  | { readonly kind: "file"; readonly path: string; readonly token: string }
  | { readonly kind: "here"; readonly token: string };

/** What the configuration says of the token then, and the same for people. */
interface TokenKept {
  /** As `orgTokenFile` is to be written; null where what is written stays. */
  readonly setting: string | null;
  /** The file itself. */
  readonly path: string;
  readonly told: string;
}

const TOKEN_FILE = "org-token";

/**
 * Has the token in a file that only its owner reads: one that holds it already stays where it is, and is closed to others;
 * else it is written beside the configuration. So it is, too, where the player's user could not read what is root's.
 */
function keepToken(place: TokenPlace, config: string): TokenKept {
  if (place.kind === "here" || (place.kind === "file" && !isReadableForPlayer(place.path, config))) {
    const path = join(dirname(config), TOKEN_FILE);
    writePrivately(path, `${place.token}\n`);
    return { setting: TOKEN_FILE, path, told: `The organization token is in ${path}, for its owner only.` };
  }
  const path = resolve(place.path);
  const told = `The organization token stays in ${path}${linkText(path)}: the configuration names it.${privacyText(path)}`;
  return { setting: place.kind === "file" ? path : null, path, told };
}

function linkText(path: string): string {
  const real = realpathSync(path);
  return real === path ? "" : ` (${real})`;
}

function privacyText(path: string): string {
  switch (makePrivate(path)) {
    case "private":
      return "";
    case "mended":
      return " Others could read it; now only its owner can.";
    case "open":
      return ` Others can read it, and it is not yours: chmod 600 ${path}`;
  }
}

/**
 * Makes the key that signs the player's record where there is none, for whoever the data folder belongs to. Without a data
 * folder, or where this user may not write there, the player makes it at its first start.
 */
export function makeRecordKey(path: string, env: ConfigSource["env"]): void {
  const reading = readConfig({ path, env });
  if (reading.kind === "bad" || !existsSync(reading.config.dataDir)) return;
  const { dataDir } = reading.config;
  if (openRecordKey(dataDir).kind === "unusable" || process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dataDir);
  lchownSync(recordKeyPath(dataDir), uid, gid);
}
