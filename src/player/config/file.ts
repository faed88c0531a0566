import { accessSync, constants, existsSync, statSync } from "node:fs";
import { join, posix, win32 } from "node:path";
import { readTextFile } from "../small-file.ts";
import type { Environment } from "./environment.ts";
import { type ConfigProblem, problemAt, problemsOf } from "./problems.ts";
import { orgTokenSchema } from "./values.ts";

/** What a text is as JSON. The complaint quotes nothing of the text: a secret may stand where it is broken. */
type JsonReading =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "broken"; readonly line: number; readonly column: number; readonly problem: string };

/** Parses JSON, and says where and why where it is none: the engine's own messages quote the text and often lack the place. */
export function readJson(text: string): JsonReading {
  try {
    return { kind: "value", value: JSON.parse(text) };
  } catch {
    const { at, problem } = firstFault(text);
    const before = text.slice(0, at).split("\n");
    return { kind: "broken", line: before.length, column: (before.at(-1)?.length ?? 0) + 1, problem };
  }
}

/** Where a JSON text says again what it said before, such as `display`: only the last time counts. */
export function repeatedKeys(text: string): readonly string[] {
  const repeated = new Set<string>();
  try {
    skipValue(text, 0, [], (path) => repeated.add(problemAt(path, "").path));
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
  return [...repeated];
}

/** Hears where a key stands that stood there before. */
type OnRepeated = (path: Path) => void;
type Path = readonly (string | number)[];

class Fault extends Error {
  readonly at: number;

  constructor(at: number, problem: string) {
    super(problem);
    this.at = at;
  }
}

function firstFault(text: string): { at: number; problem: string } {
  try {
    const end = skipSpace(text, skipValue(text, 0));
    return { at: end, problem: "nothing may follow the end" };
  } catch (error) {
    if (error instanceof Fault) return { at: error.at, problem: error.message };
    throw error;
  }
}

/** Deeper than any configuration: a file of brackets must not use up the stack. */
const DEEPEST = 100;

const SPACE = /[ \t\r\n]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const STRING_SO_FAR = /"(?:[^"\\\p{Cc}]|[\x7f-\x9f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/uy;
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Returns where the value that begins at `from` ends, or throws the fault in it. */
function skipValue(text: string, from: number, path: Path = [], onRepeated: OnRepeated = () => {}): number {
  const at = skipSpace(text, from);
  if (path.length > DEEPEST) throw new Fault(at, "too many levels");
  if (text[at] === "{") {
    const seen = new Set<string>();
    return skipList(text, at, "}", (next) => skipMember(text, next, path, seen, onRepeated));
  }
  if (text[at] === "[")
    return skipList(text, at, "]", (next, index) => skipValue(text, next, [...path, index], onRepeated));
  if (text[at] === '"') return skipString(text, at);
  return match(WORD, text, at) ?? fail(text, at, "a value is expected here");
}

function skipList(
  text: string,
  opening: number,
  close: string,
  skipEntry: (at: number, index: number) => number,
): number {
  let at = skipSpace(text, opening + 1);
  if (text[at] === close) return at + 1;
  for (let index = 0; ; index++) {
    at = skipSpace(text, skipEntry(at, index));
    if (text[at] === close) return at + 1;
    if (text[at] !== ",") return fail(text, at, `a comma or ${close} is expected here`);
    at = skipSpace(text, at + 1);
    if (text[at] === close) return fail(text, at, "no comma may stand before the end");
  }
}

function skipMember(text: string, at: number, of: Path, seen: Set<string>, onRepeated: OnRepeated): number {
  if (text[at] !== '"') return fail(text, at, "a key in double quotes is expected here");
  const end = skipString(text, at);
  const key = String(JSON.parse(text.slice(at, end)));
  const path = [...of, key];
  if (seen.has(key)) onRepeated(path);
  seen.add(key);
  const colon = skipSpace(text, end);
  if (text[colon] !== ":") return fail(text, colon, "a colon is expected here");
  return skipValue(text, colon + 1, path, onRepeated);
}

function skipString(text: string, at: number): number {
  const end = match(STRING, text, at);
  if (end !== null) return end;
  const stop = match(STRING_SO_FAR, text, at) ?? at;
  if (text[stop] === "\\") return fail(text, stop, "a backslash must be written twice");
  throw new Fault(at, "this text in quotes does not end on its line");
}

function fail(text: string, at: number, problem: string): never {
  if (at >= text.length) throw new Fault(at, "the file ends too early");
  if (text.startsWith("//", at) || text.startsWith("/*", at) || text[at] === "#")
    throw new Fault(at, "comments are not allowed");
  throw new Fault(at, text[at] === "'" ? "quotes must be double quotes" : problem);
}

function skipSpace(text: string, at: number): number {
  return match(SPACE, text, at) ?? at;
}

function match(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** What of this machine decides where things are. */
export interface Surroundings {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** This user's folders, as `env-paths` tells them. */
  readonly userPaths: { readonly config: string; readonly data: string };
}

/** Where a configuration is looked for, first place first; what the user names is the only place. */
export function configPlaces(named: string | null, { env, platform, userPaths }: Surroundings): readonly string[] {
  const { join, resolve } = platform === "win32" ? win32 : posix;
  const only = named ?? env.SPOTLOOP_CONFIG;
  if (only !== undefined && only !== "") return [resolve(only)];
  const user = join(userPaths.config, "config.json");
  if (platform !== "win32") return ["/etc/spotloop/config.json", user];
  return [join(env.ProgramData ?? "C:\\ProgramData", "Spotloop", "config.json"), user];
}

/** Where the player keeps what it must not lose, unless told: the service unit's folder, the system's, or the user's. */
export function defaultDataDir({ env, platform, userPaths }: Surroundings): string {
  // systemd's list of folders: on Windows a colon is part of each.
  const ofUnit = platform === "win32" ? undefined : env.STATE_DIRECTORY?.split(":", 1)[0];
  if (ofUnit !== undefined && ofUnit !== "") return ofUnit;
  return platform === "linux" && writable(SYSTEM_DATA_DIR) ? SYSTEM_DATA_DIR : userPaths.data;
}

const SYSTEM_DATA_DIR = "/var/lib/spotloop";

/** Whether this user may write in a folder. */
function writable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first of these files that is there. Where none is, one that cannot be looked at: reading it says what is wrong. */
export function firstThere(places: readonly string[]): string | null {
  return places.find((place) => existsSync(place)) ?? places.find((place) => !isAbsent(place)) ?? null;
}

function isAbsent(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** What a configuration file holds, unchecked, or why that cannot be told. */
type FileReading =
  | { readonly kind: "value"; readonly value: unknown; readonly warnings: readonly string[] }
  | { readonly kind: "unreadable"; readonly problem: ConfigProblem };

/** Larger than any configuration. */
const LARGEST_FILE_BYTES = 1024 * 1024;

/** Reads a file as JSON; nothing is written where there is none. */
export function readJsonFile(path: string | null): FileReading {
  if (path === null) return { kind: "value", value: {}, warnings: [] };
  const file = readTextFile(path, LARGEST_FILE_BYTES);
  if (file.kind === "unreadable") return unreadable(file.code === "ENOENT" ? "is not there" : file.why);
  const json = readJson(file.text);
  if (json.kind === "broken")
    return unreadable(`is not JSON: line ${json.line}, column ${json.column}: ${json.problem}`);
  const warnings = repeatedKeys(file.text).map((key) => `${key} is twice in ${path}: only the last one counts`);
  return { ...json, warnings };
}

function unreadable(what: string): FileReading {
  return { kind: "unreadable", problem: { path: "", message: `The file ${what}.` } };
}

/** The organization token, and the file of its own it came from or would; or what is wrong with it. */
export type TokenReading = { readonly file: string | null } & (
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "none"; readonly problem: ConfigProblem }
);

/**
 * Finds the token: in the configuration, in the file it names by an absolute path, else among the credentials of a
 * systemd unit.
 */
export function readOrgToken(orgToken: string | null, orgTokenFile: string | null, env: Environment): TokenReading {
  if (orgToken !== null && orgTokenFile !== null)
    return none("orgTokenFile", "must not be given beside orgToken", null);
  if (orgToken !== null) return { kind: "token", token: orgToken, file: null };
  if (orgTokenFile !== null) return readTokenFile(orgTokenFile);
  const credentials = env.CREDENTIALS_DIRECTORY;
  const credential = credentials ? join(credentials, "org-token") : null;
  if (credential !== null && existsSync(credential)) return readTokenFile(credential);
  return none("orgToken", "is missing, and so is orgTokenFile", credential);
}

/** What keeps the token from being known, where it is not among what else is wrong. */
export function tokenProblems(token: TokenReading, others: readonly ConfigProblem[]): readonly ConfigProblem[] {
  if (token.kind === "token") return [];
  const settings = token.problem.path === "orgToken" ? ["orgToken", "orgTokenFile"] : ["orgTokenFile"];
  return others.some(({ path }) => settings.includes(path)) ? [] : [token.problem];
}

function readTokenFile(file: string): TokenReading {
  const reading = readTextFile(file, LARGEST_FILE_BYTES);
  if (reading.kind === "unreadable") return none("orgTokenFile", `names ${file}, which ${reading.why}`, file);
  const token = reading.text.trim();
  const read = orgTokenSchema.safeParse(token);
  if (read.success) return { kind: "token", token, file };
  return none("orgTokenFile", `names ${file}, and the token there ${problemsOf(read.error, token)[0]?.message}`, file);
}

/** Whether others on this machine than the file's owner can read it. Windows keeps that elsewhere, and is not asked. */
export function readableByOthers(file: string, platform: NodeJS.Platform): boolean {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  return platform !== "win32" && (mode & OTHERS_MAY_READ) !== 0;
}

const OTHERS_MAY_READ = 0o044;

function none(path: string, message: string, file: string | null): TokenReading {
  return { kind: "none", problem: { path, message }, file };
}
