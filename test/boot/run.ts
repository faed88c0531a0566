import { basename, join } from "node:path";
import { type ChaosNetwork, startNetwork } from "../chaos/network.ts";
import { cutPower, drawCuts } from "./cuts.ts";
import { makeDisks } from "./disks.ts";
import { breakThings, install, remove } from "./handling.ts";
import type { Verdicts } from "./judge.ts";
import { Machine } from "./machine.ts";
import type { BootOptions } from "./options.ts";
import { spotsFor, writeWorld } from "./pictures.ts";
import { compare, deliver } from "./proofs.ts";
import { screenReader } from "./screen.ts";
import { changeSessions, FOR_WAYLAND } from "./sessions.ts";
import { setUp } from "./set-up.ts";
import { type Step, StepFailed, Steps } from "./steps.ts";
import { consoleTail } from "./virtual-pc.ts";

export interface BootRun extends Omit<BootOptions, "packages" | "json" | "append"> {
  /** An empty folder, for disks and what the machine says. */
  readonly folder: string;
  /** Where the photographs are kept. */
  readonly pictures: string;
  /** Brings Spotloop's two packages, of the version in package.json where none is given; resolves with their files. */
  packages(version?: string): Promise<readonly string[]>;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export interface BootResult {
  readonly steps: readonly Step[];
  /** Null where a step failed before. */
  readonly verdicts: Verdicts | null;
  /** What the machine wrote on its console last, where a step failed. */
  readonly console: string | null;
}

/** Newer than whatever package.json says. */
const NEWER = "999.0.0";
const BUILT_WITHIN_MS = 20 * 60_000;
const INSTALLED_WITHIN_MS = 30 * 60_000;

/** Builds a PC with the packages on it, and lives through all that a PC on a wall does. Ends at the first step that fails. */
export async function runBootTest(options: BootRun): Promise<BootResult> {
  const { folder, pictures, progress, signal, seed, cuts } = options;
  const steps = new Steps(pictures, progress, signal);
  const world = writeWorld(join(folder, "world"), { seed, pictures: picturesFor(cuts) });
  const network = await startNetwork(seed, ["--world", world]);
  let machine: Machine | null = null;
  try {
    machine = await prepared(options, steps, network);
    const verdicts = await lived(options, steps, network, machine);
    return { steps: steps.all, verdicts, console: null };
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    return { steps: steps.all, verdicts: null, console: consoleTail(folder) };
  } finally {
    await machine?.cutPower();
    await network.stop();
  }
}

/** A boot shows some ten spots before the power goes; so at each cut there are pictures that were not loaded before. */
function picturesFor(cuts: number): number {
  return 60 + 10 * cuts;
}

/** A machine that has never been on. */
async function prepared(options: BootRun, steps: Steps, network: ChaosNetwork): Promise<Machine> {
  const { folder, debian, isQuick, progress } = options;
  const ports = [network.baseUrl, network.mediaUrl].map((url) => new URL(url).port);
  const packages = await steps.find(
    isQuick ? "the packages" : "the packages, and newer ones",
    BUILT_WITHIN_MS,
    async () => ({ debs: await options.packages(), newer: isQuick ? [] : await options.packages(NEWER) }),
    ({ debs, newer }) => [...debs, ...newer].map((file) => basename(file)).join("\n"),
  );
  const disks = await steps.find(
    `install them on a bare Debian ${debian}`,
    INSTALLED_WITHIN_MS,
    (signal) => makeDisks({ folder, debian, ...packages, later: isQuick ? [] : FOR_WAYLAND, ports, signal, progress }),
    () => "with Debian's packages and nothing else",
  );
  return new Machine({ folder, disks, ports, reader: screenReader(), photograph: steps.photograph });
}

/** The life of the machine, from its first boot on. */
async function lived(options: BootRun, steps: Steps, network: ChaosNetwork, machine: Machine): Promise<Verdicts> {
  const { folder, debian, isQuick, idleMs, cuts, seed } = options;
  await network.plan(spotsFor(PLANNED, picturesFor(cuts)));
  await setUp(steps, machine, network, idleMs);
  const brokenAt = isQuick ? [] : await breakThings(steps, machine);
  const replacedAt = isQuick ? [] : await changeSessions(steps, machine, { canTurn: debian >= 13 });
  const { cutAt, flaws } = await cutPower(steps, machine, network, { folder, cuts: drawCuts(cuts, seed) });
  if (!isQuick) await install(steps, machine, network, NEWER);
  await deliver(steps, machine, network);
  if (!isQuick) await remove(steps, machine);
  return compare(steps, machine, network, { folder, endedAt: [...brokenAt, ...replacedAt, ...cutAt], flaws });
}

/** More than a run shows; `MOST_PLANNED` of the emulator is the limit. */
const PLANNED = 10_000;
