import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, realpathSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type ConfigSource, readConfig } from "../../player/config/config.ts";
import { openRecordKey, recordKeyPath } from "../../player/record/record-key.ts";

/** Only its owner reads a file that holds the token, or says where it is. */
const PRIVATE = 0o600;
const OTHERS = 0o077;

/** Where the package's unit has its configuration. */
const SERVICE_FOLDER = "/etc/spotloop";

/** Writes a file, whole or not at all, for its owner only: the service's user in the service's folder, where there is one. */
export function writePrivately(path: string, text: string): void {
  const unfinished = `${path}.new`;
  writeFileSync(unfinished, text, { mode: PRIVATE });
  const owner = serviceUserFor(path);
  if (owner !== null) chownSync(unfinished, owner.uid, owner.gid);
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
export interface TokenKept {
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
export function keepToken(place: TokenPlace, config: string): TokenKept {
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
  chownSync(recordKeyPath(dataDir), uid, gid);
}
