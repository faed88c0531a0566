import { type Backoff, backoffMs } from "./backoff.ts";
import type { Instant } from "./spot.ts";

/** What went wrong with the machinery itself, beyond one creative. */
export type Trouble =
  /** Chromium's GPU process ended. */
  | "gpu"
  /** Chromium's network service ended. */
  | "network"
  /** The page of the slate crashed. */
  | "slate"
  /** Decks failed one after the other, for long, with nothing shown in between. */
  | "dark"
  /** An error that nobody caught. */
  | "uncaught"
  /** The run before ended without a word: a crash, or somebody's kill. */
  | "crashed";

/** What is remembered from run to run. Instants are wall time, milliseconds. */
export interface Ledger {
  /** The boot that it tells of. */
  readonly bootId: string;
  /** Restarts in a row in that boot that troubles led to. */
  readonly restarts: number;
  /** Whether a run is under way or ended without a word. */
  readonly running: boolean;
  readonly lastTrouble: Trouble | null;
  /** Until when to render in software. */
  readonly softwareUntil: Instant | null;
}

/** How a run is begun. */
export interface StartPlan {
  readonly rendering: "hardware" | "software";
  /** Safe mode: software rendering and decoding, and none of the operator's extra switches. */
  readonly safe: boolean;
  /** How long the slate shows before anything is played. */
  readonly holdMs: number;
}

/** What to do about a trouble. */
export type Remedy = "bear" | "restart" | "restart-in-software";

/** A trouble in this run, on any clock that only goes forward. */
export interface Incident {
  readonly trouble: Trouble;
  readonly at: Instant;
}

/** A machine that had to be rendered in software is tried again with its graphics processor after this long. */
export const SOFTWARE_MS = 24 * 3_600_000;
/** A run without a reason to restart for this long is healthy: the restarts before it are forgotten. */
export const HEALTHY_AFTER_MS = 10 * 60_000;
/** Troubles further apart than this have nothing to do with each other. */
export const TOGETHER_MS = 5 * 60_000;
/** How many restarts in a row lead to safe mode. */
export const SAFE_AFTER_RESTARTS = 6;
/** How many restarts in a row play at once: a fault that passes, or a kill by hand, costs no waiting. */
export const RESTARTS_AT_ONCE = 3;

/** How many of a kind within `TOGETHER_MS` are borne, since Chromium mends each by itself; one more is not. */
const TOLERATED: Readonly<Record<Trouble, number>> = { gpu: 2, network: 4, slate: 4, dark: 0, uncaught: 0, crashed: 0 };

/** Later restarts wait with the slate in sight, ever longer, and never give up. */
const HOLD: Backoff = { firstMs: 5_000, longestMs: 5 * 60_000, exactWaits: Number.POSITIVE_INFINITY };

/** How a run is begun of whose forerunners nothing is known. */
export const PLAIN_START: StartPlan = { rendering: "hardware", safe: false, holdMs: 0 };

export const NEW_LEDGER: Ledger = { bootId: "", restarts: 0, running: false, lastTrouble: null, softwareUntil: null };

/** Says how to begin a run by what the ones before left behind. Nothing is noted: that is `begun`. */
export function startPlan(left: Ledger, bootId: string, wall: Instant): StartPlan {
  const { restarts, softwareUntil } = begun(left, bootId, wall);
  const safe = restarts >= SAFE_AFTER_RESTARTS;
  return {
    rendering: softwareUntil !== null || safe ? "software" : "hardware",
    safe,
    holdMs: restarts <= RESTARTS_AT_ONCE ? 0 : backoffMs(HOLD, restarts - RESTARTS_AT_ONCE, 0),
  };
}

/** The ledger of a run that begins now. A machine that was started anew starts anew, but its graphics are the same. */
export function begun(left: Ledger, bootId: string, wall: Instant): Ledger {
  const sameBoot = left.bootId === bootId;
  const crashed = sameBoot && left.running;
  return {
    bootId,
    restarts: (sameBoot ? left.restarts : 0) + (crashed ? 1 : 0),
    running: true,
    lastTrouble: crashed ? "crashed" : sameBoot ? left.lastTrouble : null,
    softwareUntil: inForce(left.softwareUntil, wall),
  };
}

/** The ledger of a run that was asked to end, or ends in good order for a reason that is no trouble. */
export function ended(ledger: Ledger): Ledger {
  return { ...ledger, running: false };
}

/** The ledger of a run that ends for a trouble. */
export function endedBy(ledger: Ledger, trouble: Trouble, remedy: Remedy, wall: Instant): Ledger {
  const softwareUntil = remedy === "restart-in-software" ? wall + SOFTWARE_MS : ledger.softwareUntil;
  return { ...ledger, running: false, restarts: ledger.restarts + 1, lastTrouble: trouble, softwareUntil };
}

/** The ledger of a machine whose GPU process cannot work at all, so that the next start need not try it. */
export function withoutGraphics(ledger: Ledger, wall: Instant): Ledger {
  return { ...ledger, softwareUntil: wall + SOFTWARE_MS };
}

/** The ledger of a run that has been healthy for `HEALTHY_AFTER_MS`. */
export function healthy(ledger: Ledger): Ledger {
  return { ...ledger, restarts: 0, lastTrouble: null };
}

/** Decides about the last of the incidents of a run. Where rendering is in software already there is none below it. */
export function remedyFor(incidents: readonly Incident[], rendering: StartPlan["rendering"]): Remedy {
  const last = incidents.at(-1);
  if (last === undefined) return "bear";
  const together = incidents.filter(({ trouble, at }) => trouble === last.trouble && last.at - at <= TOGETHER_MS);
  if (together.length <= TOLERATED[last.trouble]) return "bear";
  return last.trouble === "gpu" && rendering === "hardware" ? "restart-in-software" : "restart";
}

/** A clock that was set back must not make a day longer. */
function inForce(until: Instant | null, wall: Instant): Instant | null {
  return until !== null && wall < until && until - wall <= SOFTWARE_MS ? until : null;
}

/** Pages that were in sight when the GPU process ended, by when that was last; the latest last. */
export type GraphicsSuspects = ReadonlyMap<string, Instant>;

export const NO_SUSPECTS: GraphicsSuspects = new Map();

/** What happened under a page longer ago than this is forgotten, as strikes are. */
export const SUSPECTED_FOR_MS = 24 * 3_600_000;
/** More than a machine can have in a day without having been restarted. */
const MOST_SUSPECTS = 64;

/**
 * Takes in that the GPU process ended at `now` with a page in sight. The first time may be chance; from the second on the
 * page is blamed, so that one that breaks the graphics does not make the whole player give them up.
 */
export function suspect(before: GraphicsSuspects, page: string, now: Instant): [GraphicsSuspects, isBlamed: boolean] {
  const recent = [...before].filter(([, at]) => now - at < SUSPECTED_FOR_MS);
  const isBlamed = recent.some(([one]) => one === page);
  const others = recent.filter(([one]) => one !== page).slice(1 - MOST_SUSPECTS);
  return [new Map([...others, [page, now]]), isBlamed];
}
