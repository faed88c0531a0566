import type { FaultFile } from "../../src/emulator/faults/schema.ts";
import { diceOf } from "../chaos/moments.ts";

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
  const dice = diceOf(seed);
  return Array.from({ length: count }, () => {
    const { withinMs, ...kind } = KINDS[Math.floor(dice() * KINDS.length)] as Kind;
    return { ...kind, afterMs: Math.round(dice() * withinMs) };
  });
}
