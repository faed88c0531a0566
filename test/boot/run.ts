import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import { type ChaosNetwork, startNetwork } from "../chaos/network.ts";
import { lookAt } from "./aftermath.ts";
import { drawCuts } from "./cuts.ts";
import { makeDisks } from "./disks.ts";
import { breakThings, install, remove } from "./handling.ts";
import { judge, type Verdicts } from "./judge.ts";
import { Machine } from "./machine.ts";
import type { BootOptions } from "./options.ts";
import { spotsFor, writeWorld } from "./pictures.ts";
import { screenReader } from "./screen.ts";
import { type Step, StepFailed, Steps, until } from "./steps.ts";
import { consoleTail, TOLD } from "./virtual-pc.ts";

export interface BootRun extends Omit<BootOptions, "packages"> {
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
  /** Null where a step failed before there was anything to judge. */
  readonly verdicts: Verdicts | null;
  /** What the machine wrote on its console last, where a step failed. */
  readonly console: string | null;
}

/** Newer than whatever package.json says. */
const NEWER = "999.0.0";
const BUILD_WITHIN_MS = 20 * 60_000;
const DISKS_WITHIN_MS = 30 * 60_000;
/** What an emulated processor takes a minute for has this long, beside other work. */
const SEEN_WITHIN_MS = 15 * 60_000;
const DRAINED_WITHIN_MS = 10 * 60_000;
const LOOKED_WITHIN_MS = 5 * 60_000;
const LOOK_EVERY_MS = 20_000;

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
  const { folder, signal, isQuick, progress } = options;
  const ports = [network.baseUrl, network.mediaUrl].map((url) => new URL(url).port);
  const found: { debs: readonly string[]; newer: readonly string[]; machine: Machine | null } = {
    ...{ debs: [], newer: [], machine: null },
  };
  await steps.take(isQuick ? "the packages" : "the packages, and newer ones", BUILD_WITHIN_MS, async () => {
    found.debs = await options.packages();
    found.newer = isQuick ? [] : await options.packages(NEWER);
    return [...found.debs, ...found.newer].map((file) => basename(file)).join("\n");
  });
  await steps.take("install them on a bare Debian", DISKS_WITHIN_MS, async (within) => {
    const disks = await makeDisks({ folder, ...found, ports, signal: within, progress });
    found.machine = new Machine({ folder, disks, ports, reader: screenReader(), photograph: steps.photograph });
    return "installed without anything else from the network";
  });
  signal.throwIfAborted();
  return found.machine as Machine;
}

/** The life of the machine, from its first boot on. */
async function lived(options: BootRun, steps: Steps, network: ChaosNetwork, machine: Machine): Promise<Verdicts> {
  const { folder, signal, isQuick, idleMs, cuts, seed } = options;
  await steps.take("first boot: says what is missing", SEEN_WITHIN_MS, async (within) => {
    await machine.switchOn();
    return `"${(await machine.text(NOT_SET_UP, within)).slice(0, 60)}…"`;
  });
  await steps.take(`goes on saying so for ${idleMs / 60_000} min`, idleMs + SEEN_WITHIN_MS, async (within) => {
    const before = await machine.unit();
    for (
      const endsAt = Date.now() + idleMs;
      Date.now() < endsAt;
      await sleep(LOOK_EVERY_MS, undefined, { signal: within })
    ) {
      await machine.text(NOT_SET_UP, within);
    }
    const { mainPid, restarts, isActive, isHardened, status } = await machine.unit();
    if (mainPid !== before.mainPid || restarts !== 0 || !isActive) throw new Error(`it was restarted: ${status}`);
    if (!isHardened) throw new Error("the player is not hardened");
    return `the same process, hardened and active, "${status}"`;
  });
  await network.plan(spotsFor(PLANNED, picturesFor(cuts)));
  await steps.take("spotloop provision leads to the first proof", SEEN_WITHIN_MS, async (within, note) => {
    await machine.run("install -o spotloop -m 600 /dev/null /etc/spotloop/org-token");
    await machine.run(`printf %s ${network.orgToken} >/etc/spotloop/org-token`);
    const names = `--id ${network.screenId} --location loc_harbour --base-url ${network.baseUrl}`;
    const command = `spotloop provision ${names} --org-token-file /etc/spotloop/org-token --yes`;
    // It waits a minute for the first spot, in which an emulated processor may not get there: the screen is waited for here.
    const said = await machine.run(`${command} || echo "It ended with $?."`, SEEN_WITHIN_MS);
    note(said);
    const creative = await machine.spot(within);
    await until(within, async () => (counted(await network.ledger()) > 0 ? true : null));
    return `${creative} on the screen; it said: ${said.split("\n").at(-1)}`;
  });
  await steps.take("a reboot plays by itself", SEEN_WITHIN_MS, async (within) => {
    await machine.reboot(within);
    return `${await machine.spot(within)} on the screen`;
  });
  if (!isQuick) await breakThings(steps, machine);
  await steps.take("power-off", SEEN_WITHIN_MS, async () => {
    await machine.switchOff();
    return "in good order";
  });
  const [cutAt, flaws]: [number[], string[]] = [[], []];
  for (const [index, cut] of drawCuts(cuts, seed).entries()) {
    await steps.take(`cut ${index + 1} of ${cuts}: ${cut.name}`, SEEN_WITHIN_MS, async (within) => {
      await network.misbehave(cut.faults);
      const startedAt = performance.now();
      await machine.switchOn();
      const creative = cut.isOnAir ? await machine.spot(within) : null;
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      await sleep(cut.afterMs, undefined, { signal: within });
      await machine.photograph();
      cutAt.push(Date.now());
      await machine.cutPower();
      const { files, flaws: found, proofs } = await lookAt(join(folder, "data.img"), join(folder, "look"), within);
      flaws.push(...found.map((flaw) => `after cut ${index + 1}: ${flaw}`));
      const how = creative === null ? `up after ${seconds} s` : `${creative} on the screen after ${seconds} s`;
      return `${how}, cut ${(cut.afterMs / 1000).toFixed(1)} s later; ${files} files, ${proofs.length} proofs, ${found.length} broken`;
    });
  }
  await network.misbehave([]);
  await steps.take("it plays after all that", SEEN_WITHIN_MS, async (within) => {
    await machine.switchOn();
    return `${await machine.spot(within)} on the screen`;
  });
  if (!isQuick) await install(steps, machine, network, NEWER);
  await steps.take("delivers what it owes", DRAINED_WITHIN_MS, async (within) => {
    await network.misbehave(NO_SPOTS);
    const delivered = await until(within, async () => drained(await machine.health()));
    return `${delivered} proofs delivered`;
  });
  if (!isQuick) await remove(steps, machine);
  let verdicts: Verdicts | null = null;
  await steps.take("every proof is held against the ledger", LOOKED_WITHIN_MS, async (within) => {
    await machine.switchOff();
    const { proofs, flaws: found } = await lookAt(join(folder, "data.img"), join(folder, "look"), within);
    const told = toldIn(folder);
    const evidence = { told, proofs, ledger: await network.ledger(), audit: await network.audit() };
    verdicts = judge({ ...evidence, cutAt, flaws: [...flaws, ...found.map((flaw) => `in the end: ${flaw}`)] });
    if (verdicts.violations.length > 0) throw new Error(verdicts.violations.slice(0, MOST_TOLD).join("\n"));
    if (verdicts.shown === 0 || verdicts.counted === 0) throw new Error("nothing was shown and proved");
    return `${verdicts.shown} items shown, ${verdicts.counted} counted, ${verdicts.duplicates} sent once more`;
  });
  signal.throwIfAborted();
  return verdicts as unknown as Verdicts;
}

const NOT_SET_UP = /not set up yet/i;
/** More than a run shows; `MOST_PLANNED` of the emulator is the limit. */
const PLANNED = 10_000;
const MOST_TOLD = 20;
const NO_SPOTS: readonly FaultFile[] = [{ match: { route: "spot" }, do: { empty: true } }];

function counted(ledger: Awaited<ReturnType<ChaosNetwork["ledger"]>>): number {
  const calls = ledger.flatMap(({ news, ad }) => [...(news?.pops ?? []), ...(ad?.pops ?? [])]);
  return calls.filter(({ verdict }) => verdict === "counted").length;
}

/** How many were delivered, once nothing is owed and nothing more is shown that would be; null until then. */
function drained(health: Awaited<ReturnType<Machine["health"]>>): number | null {
  if (health === null || health.onAir !== "house" || health.next !== null || health.proofs.owed > 0) return null;
  return health.proofs.delivered;
}

function toldIn(folder: string): readonly string[] {
  const path = join(folder, TOLD);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
}
