import { type Backoff, backoffMs, stillHolds } from "./backoff.ts";
import type { FailureReason, Instant } from "./spot.ts";

/** A failure of the player or of Chromium itself, beyond one creative. */
export type Fault =
  /** Chromium's GPU process ended. */
  | "gpu"
  /** Chromium's network service ended. */
  | "network"
  /** The slate's page crashed. */
  | "slate"
  /** Many decks in a row failed, with nothing shown in between. */
  | "dark"
  /** An error that nobody caught. */
  | "uncaught"
  /** The run before ended without noting so: it crashed or was killed. */
  | "crashed";

/** What one run leaves to the next. Instants are wall time, milliseconds. */
export interface BootRecord {
  /** The boot of the machine that it is about. */
  readonly bootId: string;
  /** Restarts in a row in that boot that were caused by faults. */
  readonly restarts: number;
  /** True during a run, and after one that ended without noting so. */
  readonly running: boolean;
  readonly lastTrouble: Fault | null;
  /** Until when to render in software. */
  readonly softwareUntil: Instant | null;
}

/** How a run starts. */
export interface StartPlan {
  readonly rendering: "hardware" | "software";
  /** Safe mode: software rendering and decoding, no sound, and none of the operator's extra switches. */
  readonly safe: boolean;
  /** How long the slate is shown before anything is played. */
  readonly holdMs: number;
}

/** What to do about a fault. */
export type Remedy = "tolerate" | "restart" | "restart-in-software";

/** A fault in this run, at a monotonic instant. */
export interface Incident {
  readonly fault: Fault;
  readonly at: Instant;
}

/** A machine that had to be rendered in software is tried again with its graphics processor after this long. */
export const SOFTWARE_MS = 24 * 3_600_000;
/** A run without a reason to restart for this long is healthy: the restarts before it are forgotten. */
export const HEALTHY_AFTER_MS = 10 * 60_000;
/** Faults further apart than this are not counted together. */
export const TOGETHER_MS = 5 * 60_000;
/** How many restarts in a row lead to safe mode. */
export const SAFE_AFTER_RESTARTS = 6;
/** How many restarts in a row play at once: a passing fault, or a kill by hand, costs no wait. */
const RESTARTS_AT_ONCE = 3;

/** How many of a kind within `TOGETHER_MS` are tolerated, since Chromium recovers by itself; one more leads to a restart. */
const TOLERATED: Readonly<Record<Fault, number>> = { gpu: 2, network: 4, slate: 4, dark: 0, uncaught: 0, crashed: 0 };

/** Later restarts show the slate for ever longer before they play; there is no last one. */
const HOLD: Backoff = { firstMs: 5_000, longestMs: 5 * 60_000, exactWaits: Number.POSITIVE_INFINITY };

/** How a run starts when nothing is known of earlier ones. */
export const PLAIN_START: StartPlan = { rendering: "hardware", safe: false, holdMs: 0 };

export const NEW_BOOT_RECORD: BootRecord = {
  bootId: "",
  restarts: 0,
  running: false,
  lastTrouble: null,
  softwareUntil: null,
};

/** Plans a start by the boot record that the last run left. Notes nothing: `onStart` does. */
export function startPlan(before: BootRecord, bootId: string, wall: Instant): StartPlan {
  const { restarts, softwareUntil } = onStart(before, bootId, wall);
  const safe = restarts >= SAFE_AFTER_RESTARTS;
  return {
    rendering: softwareUntil !== null || safe ? "software" : "hardware",
    safe,
    holdMs: restarts <= RESTARTS_AT_ONCE ? 0 : backoffMs(HOLD, restarts - RESTARTS_AT_ONCE, 0),
  };
}

/** The boot record of a run that starts now. A new boot forgets restarts, but not that graphics failed. */
export function onStart(before: BootRecord, bootId: string, wall: Instant): BootRecord {
  const sameBoot = before.bootId === bootId;
  const crashed = sameBoot && before.running;
  return {
    bootId,
    restarts: (sameBoot ? before.restarts : 0) + (crashed ? 1 : 0),
    running: true,
    lastTrouble: crashed ? "crashed" : sameBoot ? before.lastTrouble : null,
    softwareUntil: inForce(before.softwareUntil, wall),
  };
}

/**
 * Whether a run that has lasted for `ranMs` would begin otherwise by now: with its graphics processor, or out of safe mode.
 * That is tried once a day at most.
 */
export function isPlanOver(plan: StartPlan, record: BootRecord, ranMs: number, wall: Instant): boolean {
  if (ranMs < SOFTWARE_MS) return false;
  const next = startPlan(onEnd(record), record.bootId, wall);
  return (plan.rendering === "software" && next.rendering === "hardware") || (plan.safe && !next.safe);
}

/** The boot record of a run that ends without a fault. */
export function onEnd(record: BootRecord): BootRecord {
  return { ...record, running: false };
}

/** The boot record of a run that ends because of a fault. */
export function onFault(record: BootRecord, fault: Fault, remedy: Remedy, wall: Instant): BootRecord {
  const softwareUntil = remedy === "restart-in-software" ? wall + SOFTWARE_MS : record.softwareUntil;
  return { ...record, running: false, restarts: record.restarts + 1, lastTrouble: fault, softwareUntil };
}

/** The boot record of a machine whose GPU process does not work at all, so that the next start does not try it. */
export function withoutGraphics(record: BootRecord, wall: Instant): BootRecord {
  return { ...record, softwareUntil: wall + SOFTWARE_MS };
}

/** The boot record of a run that has been healthy for `HEALTHY_AFTER_MS`. */
export function onHealthy(record: BootRecord): BootRecord {
  return { ...record, restarts: 0, lastTrouble: null };
}

/** Decides about the latest incident of a run. Software rendering has nothing below it to fall back to. */
export function remedyFor(incidents: readonly Incident[], rendering: StartPlan["rendering"]): Remedy {
  const last = incidents.at(-1);
  if (last === undefined) return "tolerate";
  const together = incidents.filter(({ fault, at }) => fault === last.fault && last.at - at <= TOGETHER_MS);
  if (together.length <= TOLERATED[last.fault]) return "tolerate";
  return last.fault === "gpu" && rendering === "hardware" ? "restart-in-software" : "restart";
}

/** How long graphics stay in software, where that is not over. */
function inForce(until: Instant | null, wall: Instant): Instant | null {
  return until !== null && stillHolds(until, wall, SOFTWARE_MS) ? until : null;
}

/** How much a run has grown, and what it costs to begin anew now. */
export interface Growth {
  /** How many bytes more than at first the processes take that live as long as the player, for good. */
  readonly bytes: number;
  /** Memory of the machine, in bytes. */
  readonly machineBytes: number;
  /** Whether no screen shows anything of the service, or is about to. */
  readonly isIdle: boolean;
  /** The hour of the day by the machine's own clock, 0 to 23. */
  readonly hour: number;
}

/** Chromium itself keeps a little of each page that it has shown: months go by until it is this much... */
const MOST_GROWTH_BYTES = 512 * 1024 ** 2;
/** ...or this share of what the machine has. */
const MOST_GROWTH_SHARE = 1 / 8;
/** When the fewest people pass by, where a screen is never idle. */
export const QUIET_HOUR = 4;

/** Whether to begin anew, so that memory has a ceiling: when that costs least, and in any case at twice the growth. */
export function isRenewalDue({ bytes, machineBytes, isIdle, hour }: Growth): boolean {
  const most = Math.min(MOST_GROWTH_BYTES, machineBytes * MOST_GROWTH_SHARE);
  return bytes >= most && (isIdle || hour === QUIET_HOUR || bytes >= 2 * most);
}

/** Whether what is shown has its sound. Instants are monotonic. */
export interface SoundState {
  /** Until when everything plays, or last played, without. */
  readonly silentUntil: Instant;
  /** How often in a row that came to be. */
  readonly silences: number;
}

export const SOUND_ON: SoundState = { silentUntil: Number.NEGATIVE_INFINITY, silences: 0 };

/**
 * How items fail whose sound goes nowhere: a page that has sound waits for the device, and a clip goes on only as its sound
 * does. Each of them has other causes, too.
 */
const SOUND_FAILURES: ReadonlySet<FailureReason> = new Set<FailureReason>([
  "not-ready",
  "not-painted",
  "stalled",
  "hung",
]);

/** Whether an item may have failed for the machine's sound. */
export function mayBeSound(reason: FailureReason): boolean {
  return SOUND_FAILURES.has(reason);
}

/** A display's sound may be gone until somebody switches the display on: it is tried again later each time. */
const SILENCE: Backoff = { firstMs: 10 * 60_000, longestMs: 6 * 3_600_000, exactWaits: Number.POSITIVE_INFINITY };
/** Silences further apart than this are not counted together. */
const SILENCES_TOGETHER_MS = 3_600_000;

/** The machine's sound is stuck: everything plays without for a while. */
export function silenced(before: SoundState, now: Instant): SoundState {
  const silences = now - before.silentUntil < SILENCES_TOGETHER_MS ? before.silences + 1 : 1;
  return { silentUntil: now + backoffMs(SILENCE, silences, 0), silences };
}

/** Whether everything plays without sound now. */
export function isSilent({ silentUntil }: SoundState, now: Instant): boolean {
  return now < silentUntil;
}

/** Pages that were visible when the GPU process ended, with when that was last; the latest last. */
export type GraphicsSuspects = ReadonlyMap<string, Instant>;

export const NO_SUSPECTS: GraphicsSuspects = new Map();

/** A suspicion older than this is forgotten, as strikes are. */
export const SUSPECTED_FOR_MS = 24 * 3_600_000;
/** More than a machine can have in a day without a restart. */
const MOST_SUSPECTS = 64;

/**
 * Notes that the GPU process ended at `now` while a page was visible. The first time may be chance; from the second on the
 * page is blamed, so that one page that breaks the graphics does not make the whole player render in software.
 */
export function suspect(before: GraphicsSuspects, page: string, now: Instant): [GraphicsSuspects, isBlamed: boolean] {
  const recent = [...before].filter(([, at]) => now - at < SUSPECTED_FOR_MS);
  const isBlamed = recent.some(([one]) => one === page);
  const others = recent.filter(([one]) => one !== page).slice(1 - MOST_SUSPECTS);
  return [new Map([...others, [page, now]]), isBlamed];
}
