import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Option } from "commander";
import { type Config, type ConfigReading, complaintOf, readConfig } from "../../player/config/config.ts";
import type { Environment } from "../../player/config/environment.ts";
import { type Day, dayIn } from "../../player/proofs/day-report.ts";
import { codeOf, isBroken, remedyFor, StoreUnusable } from "../../player/stores/database.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";

/** Which player's data folder is meant. */
export interface FolderFlags {
  readonly config?: string;
  readonly dataDir?: string;
}

export const folderOptions = () => [
  new Option("--config <file>", "the player's configuration, which says where its data is (default: where it looks)"),
  new Option("--data-dir <folder>", "the player's data folder itself").conflicts("config"),
];

/** Where the proofs are. */
export function proofsPath(flags: FolderFlags): string {
  return join(dataDirOf(flags), "proofs.db");
}

export function dataDirOf(flags: FolderFlags): string {
  return flags.dataDir === undefined ? goodConfig(flags.config).dataDir : resolve(flags.dataDir);
}

/** The configuration, or the failure that names every problem with it. */
export function goodConfig(path: string | undefined): Config {
  const reading = namedConfig(path ?? null, process.env);
  if (reading.kind === "ok") return reading.config;
  const problems = reading.problems.map(({ path, message }) => `  ${path === "" ? "" : `${path}: `}${message}`);
  const { heading, advice } = complaintOf(reading);
  const ways = advice === null ? [] : [`${advice}; or name it with --config, or the data folder with --data-dir`];
  const lines = [`${heading}:`, ...problems, ...ways];
  throw new CommandFailure(lines.join("\n"), exitCodes.configuration);
}

/** Reads the player's configuration. A file that is named must be there, even where the environment says everything. */
export function namedConfig(path: string | null, env: Environment): ConfigReading {
  if (path === null || existsSync(path)) return readConfig({ path, env });
  const place = resolve(path);
  const problems = [{ path: "", message: `The file ${place} is not there.` }];
  return { kind: "bad", path: place, absentFrom: [place], problems, watch: [place] };
}

/** Opens or reads a file of the player's; what cannot be is told in a sentence. */
export function orFailure<T>(path: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw inWords(path, error);
  }
}

/** The same for an archive, which is open for as long as it is read. */
export function withArchive<A extends { close(): void }, T>(
  path: string,
  Archive: new (path: string) => A,
  read: (archive: A) => T,
): T {
  return orFailure(path, () => {
    const archive = new Archive(path);
    try {
      return read(archive);
    } finally {
      archive.close();
    }
  });
}

/** The same for rows that are read while they are used. */
export function* eachOrFailure<T>(path: string, rows: Iterable<T>): Generator<T> {
  try {
    yield* rows;
  } catch (error) {
    throw inWords(path, error);
  }
}

function inWords(path: string, error: unknown): unknown {
  if (error instanceof StoreUnusable) return new CommandFailure(error.message);
  const code = codeOf(error);
  return code === null ? error : new CommandFailure(`${path} cannot be used (${code}): ${remedyIn(error, code)}`);
}

function remedyIn(error: unknown, code: string): string {
  if (isBroken(error)) return "it is damaged; the player sets it aside by itself when it starts";
  return OTHERS.test(code) ? "run this as the user that the player runs as" : remedyFor(code);
}

/** What SQLite and the system say of a file that belongs to somebody else. */
const OTHERS = /^(EACCES|EPERM|SQLITE_(CANTOPEN|READONLY|AUTH|PERM)(_.*)?)$/;

/** A day as it is typed: a date, or `today` or `yesterday` in its zone. */
export function dayOf(day: string, timeZone: string): Day {
  const date = dateOf(day, timeZone);
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || !isDate(date)) {
    throw badFlag(`--day must be a date such as 2026-01-31, today or yesterday, not "${day}"`);
  }
  try {
    return dayIn(date, timeZone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw noZone(timeZone);
  }
}

function dateOf(day: string, timeZone: string): string {
  if (day !== "today" && day !== "yesterday") return day;
  const today = todayIn(timeZone);
  if (day === "today") return today;
  // By the calendar: a day may have 23 or 25 hours.
  return new Date(Date.parse(`${today}T00:00:00Z`) - DAY_MS).toISOString().slice(0, today.length);
}

const DAY_MS = 24 * 3_600_000;

function todayIn(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short" }).format(new Date());
  } catch {
    throw noZone(timeZone);
  }
}

function noZone(timeZone: string): CommandFailure {
  return badFlag(`--time-zone must be an IANA time zone such as Europe/Berlin, not "${timeZone}"`);
}

function badFlag(message: string): CommandFailure {
  return new CommandFailure(message, exitCodes.usage);
}

function isDate(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}
