import type { Instant } from "../../src/core/spot.ts";
import type { Chance } from "./chance.ts";
import type { DiskTrouble } from "./disk.ts";
import type { StageMoment } from "./run.ts";
import type { Moment } from "./wire.ts";

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** What is done to the simulated machine. */
export type Blow =
  /** The player vanishes without closing: now, or at the next such moment. */
  | { readonly kind: "crash"; readonly moment: Moment | StageMoment | null }
  | { readonly kind: "restart" }
  | { readonly kind: "reboot"; readonly offMs: number; readonly wallAheadMs: number | null }
  | { readonly kind: "clock"; readonly byMs: number }
  | { readonly kind: "media"; readonly how: "flip" | "remove" }
  | { readonly kind: "disk"; readonly trouble: DiskTrouble; readonly forMs: number }
  /** An operator wants everything sent that is owed. */
  | { readonly kind: "retry" };

export interface PlannedBlow {
  readonly at: Instant;
  readonly blow: Blow;
}

const MOMENTS: readonly (Moment | StageMoment)[] = [
  ...(["spot-sent", "spot-answered", "media-sent", "media-piece"] as const),
  ...(["proof-sent", "proof-counted", "proof-answered", "proof-heard"] as const),
  ...(["cue", "painted", "cleared", "settled"] as const),
];

/** How often each comes in an hour. */
const RATES = {
  crash: 0.08,
  "crash-at": 0.14,
  restart: 0.06,
  reboot: 0.03,
  clock: 0.07,
  flip: 0.3,
  remove: 0.08,
  disk: 0.03,
  retry: 0.03,
};

/** Seconds to days, an hour as where summer ends, both ways. */
const JUMPS_MS = [1_000, 30_000, HOUR_MS, DAY_MS, 10 * DAY_MS].flatMap((ms) => [ms, -ms]);
/** How long a machine is off, and how often so. */
const OFF = { "20 s": 5, "3 min": 4, "40 min": 2, "2 h": 1, "26 h": 0.25 };
const OFF_MS = {
  "20 s": 20_000,
  "3 min": 3 * MINUTE_MS,
  "40 min": 40 * MINUTE_MS,
  "2 h": 2 * HOUR_MS,
  "26 h": 26 * HOUR_MS,
};

/** What is done to the machine within an hour, in order. */
export function blowsOf(hour: number, chance: Chance, diskCanFail: boolean, right: Instant): readonly PlannedBlow[] {
  const planned: PlannedBlow[] = [];
  for (const [name, rate] of Object.entries(RATES) as [keyof typeof RATES, number][]) {
    const question = `${name} in hour ${hour}`;
    if (!chance.happens(rate, question) || (name === "disk" && !diskCanFail)) continue;
    const at = hour * HOUR_MS + chance.between(0, HOUR_MS, `${question} at`);
    planned.push({ at, blow: blowOf(name, chance, question, right) });
  }
  return planned.sort((one, other) => one.at - other.at);
}

function blowOf(name: keyof typeof RATES, chance: Chance, question: string, right: Instant): Blow {
  switch (name) {
    case "crash":
      return { kind: "crash", moment: null };
    case "crash-at":
      return { kind: "crash", moment: chance.pick(MOMENTS, `${question} moment`) };
    case "restart":
    case "retry":
      return { kind: name };
    case "reboot": {
      // A machine without a battery for its clock begins in 1970.
      const wallAheadMs = chance.happens(0.4, `${question} 1970`) ? -right : null;
      return { kind: name, offMs: OFF_MS[chance.weighed(OFF, `${question} off`)], wallAheadMs };
    }
    case "clock":
      return { kind: name, byMs: chance.pick(JUMPS_MS, `${question} by`) };
    case "flip":
    case "remove":
      return { kind: "media", how: name };
    case "disk": {
      const trouble = chance.pick(["full", "read-only"] as const, `${question} how`);
      const most = trouble === "full" ? 40 * MINUTE_MS : 3 * MINUTE_MS;
      return { kind: name, trouble, forMs: chance.between(5_000, most, `${question} for`) };
    }
  }
}
