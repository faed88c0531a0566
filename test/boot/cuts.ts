import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import { diceOf } from "../chaos/moments.ts";
import type { ChaosNetwork } from "../chaos/network.ts";
import { lookAt } from "./aftermath.ts";
import type { Machine } from "./machine.ts";
import { SEEN_WITHIN_MS, type Steps } from "./steps.ts";

/** One power cut: what the network does meanwhile, and when the power goes. */
export interface Cut {
  readonly name: string;
  readonly faults: readonly FaultFile[];
  /** From when the machine runs, or where `isOnAir` from when its screen shows a spot. */
  readonly afterMs: number;
  readonly isOnAir: boolean;
}

interface Kind extends Pick<Cut, "name" | "faults" | "isOnAir"> {
  readonly withinMs: number;
}

const pops = (fault: FaultFile["do"], probability = 1): FaultFile => ({
  ...{ match: { surface: "media", route: "pop" }, probability, do: fault },
});

/** What the player is in the midst of. An item ends, and its proof is written, every five seconds or so. */
const KINDS: readonly Kind[] = [
  { name: "starting", faults: [], isOnAir: false, withinMs: 40_000 },
  { name: "playing", faults: [], isOnAir: true, withinMs: 12_000 },
  {
    name: "loading media",
    faults: [{ match: { surface: "media", route: "media" }, do: { bytesPerSecond: 40_000 } }],
    ...{ isOnAir: true, withinMs: 12_000 },
  },
  {
    name: "sending proofs",
    faults: [pops({ latencyMs: { min: 100, max: 2_500 } })],
    ...{ isOnAir: true, withinMs: 12_000 },
  },
  { name: "writing retries", faults: [pops({ status: 503 }, 0.7)], isOnAir: true, withinMs: 12_000 },
];

/** The cuts of a run: the same ones for the same seed, whatever their number. */
export function drawCuts(count: number, seed: number): readonly Cut[] {
  const random = diceOf(seed);
  return Array.from({ length: count }, () => {
    const { withinMs, ...kind } = KINDS[Math.floor(random() * KINDS.length)] as Kind;
    return { ...kind, afterMs: Math.round(random() * withinMs) };
  });
}

function stepName(number: number, count: number, kind: string): string {
  return `cut ${number} of ${count}: ${kind}`;
}

/** What the player was in the midst of, as the name of a step says it; null for a step that is no cut. */
export function cutKindIn(name: string): string | null {
  return /^cut \d+ of \d+: (.+)$/.exec(name)?.[1] ?? null;
}

/** What the cuts left behind. */
export interface Outcome {
  /** When the power went, Unix epoch milliseconds. */
  readonly cutAt: readonly number[];
  /** What was wrong with files and databases after each. */
  readonly flaws: readonly string[];
}

/** Switches a machine off in good order, then on and cuts its power again and again; in the end it plays. */
export async function cutPower(
  steps: Steps,
  machine: Machine,
  network: ChaosNetwork,
  { folder, cuts }: { readonly folder: string; readonly cuts: readonly Cut[] },
): Promise<Outcome> {
  await steps.take("power-off", SEEN_WITHIN_MS, async () => {
    await machine.switchOff();
    return "in good order";
  });
  const [cutAt, flaws]: [number[], string[]] = [[], []];
  for (const [index, { name, faults, isOnAir, afterMs }] of cuts.entries()) {
    await steps.take(stepName(index + 1, cuts.length, name), SEEN_WITHIN_MS, async (signal) => {
      await network.misbehave(faults);
      const startedAt = performance.now();
      await machine.switchOn();
      const creative = isOnAir ? await machine.spot(signal) : null;
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      await sleep(afterMs, undefined, { signal });
      await machine.photograph();
      cutAt.push(Date.now());
      await machine.cutPower();
      const { files, flaws: found, proofs } = await lookAt(join(folder, "data.img"), join(folder, "look"), signal);
      flaws.push(...found.map((flaw) => `after cut ${index + 1}: ${flaw}`));
      const seen = creative === null ? `up after ${seconds} s` : `${creative} on the screen after ${seconds} s`;
      const left = `${files} files, ${proofs.length} proofs, ${found.length} broken`;
      return `${seen}, cut ${(afterMs / 1000).toFixed(1)} s later; ${left}`;
    });
  }
  await network.misbehave([]);
  await steps.take("plays after all that", SEEN_WITHIN_MS, async (signal) => {
    await machine.switchOn();
    return `${await machine.spot(signal)} on the screen`;
  });
  return { cutAt, flaws };
}
