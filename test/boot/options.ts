import { resolve } from "node:path";
import { readArguments } from "../../scripts/setup/arguments.ts";
import { Stop } from "../../scripts/setup/stop.mjs";
import { type Release, SUITES } from "../support/machine/debian.ts";

/** What `npm run boot-test` is asked for. */
export interface BootOptions {
  /** How many times the power is cut. */
  readonly cuts: number;
  readonly seed: number;
  /** Of which Debian the machine is. */
  readonly debian: Release;
  /** Whether only boot, provisioning, a reboot and cuts are tried. */
  readonly isQuick: boolean;
  /** How long the machine is watched with nothing configured. */
  readonly idleMs: number;
  /** Whether disks and packages stay beside the pictures. */
  readonly keep: boolean;
  /** The folder in which packages are built, and taken where an earlier run has built them; null for a new one. */
  readonly packages: string | null;
  /** Where the figures go, an absolute path, or null for nowhere. */
  readonly json: string | null;
  /** Whether the cuts of the runs in `json` count with those of this one. */
  readonly append: boolean;
}

const STEP = "Starting the boot test";
const USAGE =
  "npm run boot-test -- [--quick] [--debian 12|13] [--cuts N] [--seed S] [--packages DIR] [--keep] [--json FILE [--append]]";
const OPTIONS = {
  quick: { type: "boolean", default: false },
  debian: { type: "string", default: "12" },
  cuts: { type: "string" },
  seed: { type: "string" },
  keep: { type: "boolean", default: false },
  packages: { type: "string" },
  json: { type: "string" },
  append: { type: "boolean", default: false },
} as const;

const [CUTS, QUICK_CUTS] = [100, 3];
const [IDLE_MS, QUICK_IDLE_MS] = [600_000, 60_000];

/**
 * Reads the arguments; `fallbackSeed` is taken where none is said, and paths begin at `folder`. Those that make no sense are
 * a `Stop`.
 */
export function readOptions(args: readonly string[], fallbackSeed: number, folder: string): BootOptions {
  const { values } = readArguments(args, { options: OPTIONS }, { step: STEP, usage: USAGE });
  const { quick, debian, cuts, seed, keep, packages, json, append } = values;
  if (append && json === undefined) throw new Stop(STEP, "--append adds to the figures of --json FILE.", USAGE);
  return {
    cuts: wholeNumber(cuts) ?? (quick ? QUICK_CUTS : CUTS),
    seed: wholeNumber(seed) ?? fallbackSeed,
    debian: releaseIn(debian),
    isQuick: quick,
    idleMs: quick ? QUICK_IDLE_MS : IDLE_MS,
    keep,
    packages: packages === undefined ? null : resolve(folder, packages),
    json: json === undefined ? null : resolve(folder, json),
    append,
  };
}

function releaseIn(text: string): Release {
  if (Object.hasOwn(SUITES, text)) return Number(text) as Release;
  throw new Stop(STEP, `"${text}" is no Debian that is tried: 12 or 13.`, USAGE);
}

function wholeNumber(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,6}$/.test(text)) throw new Stop(STEP, `"${text}" is no number from 0 to 999999.`, USAGE);
  return Number(text);
}
