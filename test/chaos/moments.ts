import { setTimeout as sleep } from "node:timers/promises";
import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import type { Life } from "./life.ts";

/** A kind of instant at which the player is killed: how the network is meanwhile, and how it is awaited. */
export interface KillMoment {
  readonly name: string;
  readonly faults: readonly FaultFile[];
  /** Resolves at the instant; `random` is in [0, 1). */
  reached(life: Life, random: () => number): Promise<void>;
}

/** A player that does nothing of the kind is killed all the same. */
const WITHIN_MS = 5_000;

const after =
  (what: "started" | "painted" | "shown", leastMs: number, mostMs: number): KillMoment["reached"] =>
  async (life, random) => {
    await life.until(what, WITHIN_MS);
    await sleep(leastMs + random() * (mostMs - leastMs));
  };

const pops = (fault: FaultFile["do"], probability = 1): FaultFile => ({
  ...{ match: { surface: "media", route: "pop" }, probability, do: fault },
});

/** Drawn from the seed, one for each life. */
export const KILL_MOMENTS: readonly KillMoment[] = [
  { name: "starting", faults: [], reached: async (_, random) => sleep(random() * 700) },
  { name: "playing", faults: [], reached: after("painted", 0, 900) },
  {
    name: "downloading",
    faults: [{ match: { surface: "media", route: "media" }, do: { bytesPerSecond: 250_000 } }],
    reached: after("started", 0, 700),
  },
  {
    name: "committing",
    faults: [],
    // An item's end, to within a few milliseconds: before its proof is committed, meanwhile, or just after.
    async reached(life, random) {
      const painted = await life.until("painted", WITHIN_MS);
      if (painted?.what !== "painted") return;
      await sleep(Math.max(0, painted.at + painted.durationMs - Date.now() - 3 + random() * 8));
    },
  },
  { name: "sending", faults: [pops({ latencyMs: { min: 5, max: 300 } })], reached: after("shown", 0, 300) },
  { name: "retrying", faults: [pops({ status: 503 }, 0.7)], reached: after("shown", 0, 1_500) },
  { name: "losing connections", faults: [pops({ reset: true }, 0.5)], reached: after("shown", 0, 1_200) },
];

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function diceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
