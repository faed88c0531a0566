import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import type { Runtime } from "../../scripts/setup/electron.ts";
import { ROOT } from "../../scripts/setup/paths.mjs";
import { Stop } from "../../scripts/setup/stop.mjs";
import { writeSmallFile } from "../../src/player/small-file.ts";
import { type Machine, machineNow } from "./machine.ts";

/** A run of a command that measures: what it found, and what that depends on. */
export interface Run<Figures extends object = object> {
  /** What was measured, one word: the command, or `command-kind` where it measures several things. */
  readonly name: string;
  /** When it began, ISO 8601. */
  readonly at: string;
  /** How long all of it took. */
  readonly seconds: number;
  /** What repeats it, with its seed, and without the files that it was told to write or read. */
  readonly command: string;
  /** Of package.json. */
  readonly version: string;
  /** As `git describe` says it, `-dirty` for changes that are in no commit; null outside a checkout. */
  readonly commit: string | null;
  readonly machine: Machine;
  readonly figures: Figures;
}

/** A run that has begun. */
export interface RunningRun extends Pick<Run, "at" | "machine"> {
  /** Writes the run with what was found so far, where a file was asked for. One that cannot be written is a `Stop`. */
  write(name: string, figures: object): void;
}

const FOR_ALL = 0o644;
const STEP = "Keeping the figures";
/** Options whose value is a place on this machine, and what only concerns such a file. */
const PLACES = ["--json", "--plot", "--packages", "--keep"];
const OF_PLACES = ["--append"];

const MACHINE = z.object({
  ...{ processor: z.string(), cores: z.number(), memoryGb: z.number(), system: z.string() },
  ...{ node: z.string(), electron: z.string().nullable(), fallback: z.boolean(), loadBefore: z.number() },
});
const RUN = z.object({
  ...{ name: z.string().regex(/^[a-z][a-z-]*$/), at: z.iso.datetime(), seconds: z.number(), command: z.string() },
  ...{ version: z.string(), commit: z.string().nullable(), machine: MACHINE, figures: z.looseObject({}) },
});

/**
 * Takes down when a script begins, on what, with which arguments: those that repeat it, a seed it drew among them. `file` is
 * where its figures go, null for nowhere; one whose folder is not there is a `Stop`, before hours go into what it is to hold.
 */
export function beginRun(
  script: string,
  args: readonly string[],
  runtime: Pick<Runtime, "version" | "fallback"> | null,
  file: string | null,
): RunningRun {
  if (file !== null && !existsSync(dirname(file)))
    throw new Stop(STEP, `There is no folder for ${file}.`, "Make it first, or name another.");
  const at = new Date().toISOString();
  const startedAt = performance.now();
  const built = builtFrom();
  const machine = machineNow(runtime);
  return {
    ...{ at, machine },
    write(name, figures) {
      if (file === null) return;
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      const run: Run = { name, at, seconds, command: commandLine(script, args), ...built, machine, figures };
      if (writeSmallFile(file, run, FOR_ALL)) return;
      throw new Stop(STEP, `${file} cannot be written.`, "Name another file, on a disk with room.");
    },
  };
}

/** Reads a run that was written before; a file that holds none is a `Stop`. */
export function readRun(file: string): Run {
  try {
    return RUN.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    const why = error instanceof z.ZodError ? z.prettifyError(error) : String(error);
    throw new Stop("Reading figures", `${basename(file)} holds no run: ${why}`, "Take a file that --json wrote.");
  }
}

/**
 * The run of `name` in a file that another is to be added to, null where there is no file. A run of anything else, or one
 * of which `unfit` says why not, is a `Stop` of `step`.
 */
export function readEarlier(
  step: string,
  name: string,
  file: string,
  unfit: (run: Run) => string | null = () => null,
): Run | null {
  if (!existsSync(file)) return null;
  const run = readRun(file);
  const why = run.name === name ? unfit(run) : `it is a run of ${run.name}`;
  if (why === null) return run;
  throw new Stop(step, `Nothing can be added to ${file}: ${why}.`, "Name another file, or leave out --append.");
}

/** The command as somebody else would repeat it. */
export function commandLine(script: string, args: readonly string[]): string {
  const kept: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const [option = "", isJoined] = [args[at]?.split("=")[0], args[at]?.includes("=")];
    if (OF_PLACES.includes(option)) continue;
    if (!PLACES.includes(option)) kept.push(args[at] as string);
    else if (!isJoined && args[at + 1]?.startsWith("--") === false) at++;
  }
  return [`npm run ${script}`, ...(kept.length === 0 ? [] : ["--", ...kept])].join(" ");
}

/** The arguments with a seed that was drawn. */
export function withSeed(args: readonly string[], seed: number): readonly string[] {
  return args.some((arg) => /^--seed(=|$)/.test(arg)) ? args : [...args, "--seed", String(seed)];
}

function builtFrom(): Pick<Run, "version" | "commit"> {
  const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  return { version, commit: commitNow() };
}

function commitNow(): string | null {
  try {
    const args = ["describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"];
    return execFileSync("git", args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return null;
  }
}
