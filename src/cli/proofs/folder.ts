import { join, resolve } from "node:path";
import { Option } from "commander";
import type { Config } from "../../player/config/config.ts";
import { readConfig } from "../../player/config/config.ts";
import { type Day, dayIn } from "../../player/proofs/day-report.ts";
import { StoreUnusable } from "../../player/store-opening.ts";
import { CommandFailure, exitCodes } from "../exit.ts";

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
  const reading = readConfig({ path: path ?? null, env: process.env });
  if (reading.kind === "ok") return reading.config;
  const problems = reading.problems.map(({ path, message }) => `  ${path === "" ? "" : `${path}: `}${message}`);
  const lines = [`the configuration ${reading.path} cannot be used:`, ...problems];
  throw new CommandFailure(lines.join("\n"), exitCodes.configuration);
}

/** A day as it is typed. */
export function dayOf(day: string, timeZone: string): Day {
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || !isDate(day)) {
    throw new CommandFailure(`--day must be a date such as 2026-01-31, not "${day}"`);
  }
  try {
    return dayIn(day, timeZone);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new CommandFailure(`--time-zone must be an IANA time zone such as Europe/Berlin, not "${timeZone}"`);
  }
}

/** What cannot be opened is told in a sentence. */
export function orFailure<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof StoreUnusable) throw new CommandFailure(error.message);
    throw error;
  }
}

function isDate(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}
