import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { PlannedSpot, WholeItem } from "../../src/emulator/spot/planned.ts";
import { askForRetry } from "../../src/player/proofs/proof-archive.ts";
import { flawsIn, proofsIn } from "../support/player/stores.ts";
import { judge, type Verdicts } from "./judge.ts";
import { beginLife, type Life } from "./life.ts";
import { diceOf, KILL_MOMENTS } from "./moments.ts";
import { type ChaosNetwork, startNetwork } from "./network.ts";
import type { Told } from "./told.ts";

export interface ChaosOptions {
  readonly kills: number;
  readonly seed: number;
  /** An empty folder. */
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export interface ChaosResult extends Verdicts {
  readonly kills: number;
  readonly seed: number;
  /** By kind of instant. */
  readonly killedWhile: Readonly<Record<string, number>>;
}

/** Spots that are planned for each life: more than it lives to see. */
const SPOTS_A_LIFE = 12;
/** What is owed after the last kill is delivered within this, or it is lost: the longest wait between two tries and more. */
const DRAINED_WITHIN_MS = 90_000;

/** Kills a real player again and again, on one data folder against one screen network, and judges what came of it. */
export async function runChaos({ kills, seed, folder, signal, progress }: ChaosOptions): Promise<ChaosResult> {
  const random = diceOf(seed);
  const network = await startNetwork(seed);
  const dataDir = join(folder, "data");
  const config = writeConfig(folder, dataDir, network);
  const told: Told[] = [];
  const killedAt: number[] = [];
  const unsound: string[] = [];
  const killedWhile: Record<string, number> = {};
  let life: Life | null = null;
  try {
    for (let kill = 1; kill <= kills; kill++) {
      signal.throwIfAborted();
      const moment = KILL_MOMENTS[Math.floor(random() * KILL_MOMENTS.length)] ?? KILL_MOMENTS[0];
      if (moment === undefined) throw new Error("there are no kinds of instants");
      progress(`kill ${kill} of ${kills}: ${moment.name}`);
      await network.misbehave(moment.faults);
      await network.plan(shortSpots(kill, random));
      life = beginLife(config);
      await moment.reached(life, random);
      killedAt.push(Date.now());
      await life.kill();
      told.push(...life.told);
      killedWhile[moment.name] = (killedWhile[moment.name] ?? 0) + 1;
      unsound.push(...flawsIn(dataDir, folder).map((flaw) => `after kill ${kill}: ${flaw}`));
    }
    progress("delivering what is owed");
    // Nothing more is shown: what ends in the instant of the stop is owed until the next start.
    await network.misbehave([{ match: { surface: "service", route: "spot" }, do: { empty: true } }]);
    life = beginLife(config);
    await drained(dataDir, signal);
    await life.stop();
    told.push(...life.told);
    unsound.push(...flawsIn(dataDir, folder).map((flaw) => `in the end: ${flaw}`));
    const evidence = { told, proofs: proofsIn(dataDir), ledger: await network.ledger(), audit: await network.audit() };
    return { kills, seed, killedWhile, ...judge({ ...evidence, killedAt, unsound }) };
  } finally {
    await life?.kill();
    await network.stop();
  }
}

/** Two items that are over soon, each under a URL that has not been there before: so each is downloaded. */
function shortSpots(life: number, random: () => number): PlannedSpot[] {
  return Array.from({ length: SPOTS_A_LIFE }, (_, index) => ({
    newsFirst: random() < 0.5,
    news: shortItem("news-headlines.jpg", "image/jpeg", `${life}-${index}`, random),
    ad: shortItem("ad-coffee.mp4", "video/mp4", `${life}-${index}`, random),
  }));
}

function shortItem(file: string, mimeType: string, unique: string, random: () => number): WholeItem {
  const duration = Math.round(120 + random() * 250);
  const url = `creatives/${file}?showing=${unique}`;
  return { id: file, title: file, mimeType, width: 1280, height: 720, duration, url, newsType: "chaos" };
}

function writeConfig(folder: string, dataDir: string, { baseUrl, orgToken, screenId }: ChaosNetwork): string {
  mkdirSync(dataDir);
  const path = join(folder, "config.json");
  // Chaos keeps no gigabyte free on somebody's machine.
  const cache = { minFreeBytes: 0, maxBytes: 64 * 1024 * 1024, maxItemBytes: 16 * 1024 * 1024 };
  const log = { level: "error" };
  writeFileSync(path, JSON.stringify({ baseUrl, orgToken, screenId, dataDir, cache, log, health: { port: null } }), {
    mode: 0o600,
  });
  return path;
}

async function drained(dataDir: string, signal: AbortSignal): Promise<void> {
  const path = join(dataDir, "proofs.db");
  for (let waitedMs = 0; waitedMs < DRAINED_WITHIN_MS; waitedMs += LOOK_EVERY_MS) {
    await sleep(LOOK_EVERY_MS, undefined, { signal });
    // Nobody needs to sit through the waits between the tries.
    if (waitedMs > 0 && existsSync(path) && askForRetry(path) === 0) return;
  }
}

const LOOK_EVERY_MS = 2_000;
