import { resolve } from "node:path";
import { readArguments } from "../../scripts/setup/arguments.ts";
import { Stop } from "../../scripts/setup/stop.mjs";
import { CAUSES } from "./causes.ts";
import { causesOf, type FleetRun } from "./run.ts";

/** What `npm run fleet` is asked for. */
export interface FleetOptions extends Omit<FleetRun, "folder" | "signal" | "progress"> {
  /** No fleet at all, but so many simulated screens against the emulator; null for none. */
  readonly screens: number | null;
  /** Where all figures go, an absolute path, or null for nowhere. */
  readonly json: string | null;
}

const STEP = "Starting the fleet";
const USAGE =
  "npm run fleet -- [--quick | --causes NAME,NAME] [--players N] [--speed N | --true-durations] [--well MINUTES] [--only-well [--copies N]] [--screens N] [--json FILE]";
const OPTIONS = {
  quick: { type: "boolean", default: false },
  causes: { type: "string" },
  players: { type: "string" },
  speed: { type: "string" },
  "true-durations": { type: "boolean", default: false },
  well: { type: "string" },
  "only-well": { type: "boolean", default: false },
  copies: { type: "string" },
  screens: { type: "string" },
  json: { type: "string" },
} as const;

/** Twelve hours in half an hour; the short form has nothing that takes more than one, which is two minutes. */
const [SPEED, QUICK_SPEED] = [24, 30];
const [PLAYERS, QUICK_PLAYERS] = [50, 12];
const WELL_MINUTES = 30;

/** Reads the arguments; a relative file is meant from `cwd`. Those that make no sense are a `Stop`. */
export function readOptions(args: readonly string[], cwd: string): FleetOptions {
  const { values } = readArguments(args, { options: OPTIONS }, { step: STEP, usage: USAGE });
  const { quick, "true-durations": isTrue } = values;
  if (isTrue && values.speed !== undefined) throw new Stop(STEP, "True durations have no --speed.", USAGE);
  const copies = numberIn("--copies", values.copies, { least: 1, most: 1_000 }) ?? 1;
  if (copies > 1 && !values["only-well"]) throw new Stop(STEP, "Only players that stay well can have --copies.", USAGE);
  const causes = values.causes === undefined ? null : namedCauses(values.causes);
  const onlyWell = values["only-well"];
  // Some are well beside those that are broken.
  const least = causesOf({ isQuick: quick, onlyWell, causes }).length + 1;
  const speed = isTrue ? 1 : numberIn("--speed", values.speed, { least: 1, most: 120 });
  return {
    players: numberIn("--players", values.players, { least, most: 200 }) ?? (quick ? QUICK_PLAYERS : PLAYERS),
    speed: speed ?? (quick ? QUICK_SPEED : SPEED),
    isQuick: quick,
    wellMinutes: numberIn("--well", values.well, { least: 1, most: 10_000 }) ?? WELL_MINUTES,
    onlyWell,
    causes,
    copies,
    screens: numberIn("--screens", values.screens, { least: 1, most: 10_000 }),
    json: values.json === undefined ? null : resolve(cwd, values.json),
  };
}

function namedCauses(text: string): readonly string[] {
  const names = text.split(",");
  const unknown = names.filter((name) => !CAUSES.some((cause) => cause.name === name));
  if (unknown.length === 0) return names;
  const known = CAUSES.map(({ name }) => name).join(", ");
  throw new Stop(STEP, `There is no cause ${unknown.join(", ")}; there are ${known}.`, USAGE);
}

function numberIn(
  name: string,
  text: string | undefined,
  { least, most }: { readonly least: number; readonly most: number },
): number | null {
  if (text === undefined) return null;
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new Stop(STEP, `${name} cannot be ${text}: it is a number from ${least} to ${most}.`, USAGE);
}
