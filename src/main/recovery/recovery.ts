import { join } from "node:path";
import type { Logger } from "pino";
import { z } from "zod";
import {
  type BootRecord,
  type Fault,
  HEALTHY_AFTER_MS,
  type Incident,
  isPlanOver,
  isRenewalDue,
  isSilent,
  mayBeSound,
  NEW_BOOT_RECORD,
  onEnd,
  onFault,
  onHealthy,
  onStart,
  QUIET_HOUR,
  type Remedy,
  remedyFor,
  SOUND_ON,
  type StartPlan,
  silenced,
  startPlan,
  withoutGraphics,
} from "../../core/recovery.ts";
import type { Instant, PlayoutOutcome } from "../../core/spot.ts";
import { type Clock, reached } from "../../player/clock.ts";
import type { RecoveryReport } from "../../player/health/health-report.ts";
import type { ProcessMemory } from "../../player/health/metric-sources.ts";
import type { ScreenLoop } from "../../player/screen/screen-loop.ts";
import { readSmallFile, writeSmallFile } from "../../player/small-file.ts";
import { EXIT } from "./supervisor.ts";

/** Older incidents of a run are forgotten; no rule counts as many. */
const MOST_INCIDENTS = 32;

/** Plans this run's start by the boot record in its data folder. */
export function planStart(dataDir: string, clock: Clock): StartPlan {
  return startPlan(readBootRecord(bootRecordPath(dataDir)), clock.bootId, clock.wall());
}

/** Keeps the boot record of one run, and restarts the player after a fault that is not tolerated. */
export class Recovery {
  readonly #path: string;
  readonly #clock: Clock;
  readonly #begunAt: Instant;
  readonly plan: StartPlan;
  #isWithoutGraphics = false;
  #record: BootRecord;
  #incidents: readonly Incident[] = [];
  #restart: (code: number, fault: Fault) => void;
  #callOffAlarm: () => void;

  /** Notes that a run starts. `restart` ends the process with an exit code, until `restartBy` replaces it. */
  constructor(dataDir: string, plan: StartPlan, clock: Clock, restart: (code: number) => void) {
    this.#path = bootRecordPath(dataDir);
    this.#clock = clock;
    this.#begunAt = clock.now();
    this.plan = plan;
    this.#restart = restart;
    this.#record = onStart(readBootRecord(this.#path), clock.bootId, clock.wall());
    this.#write();
    this.#callOffAlarm = clock.alarm(clock.now() + HEALTHY_AFTER_MS, () => this.#note(onHealthy(this.#record)));
  }

  /** From now on restarts are made by this function, which gets the exit code and the fault. */
  restartBy(restart: (code: number, fault: Fault) => void): void {
    this.#restart = restart;
  }

  /** Notes a fault, and restarts the player where it is not tolerated. */
  reportFault(fault: Fault): void {
    if (!this.#record.running) return;
    this.#incidents = [...this.#incidents, { fault, at: this.#clock.now() }].slice(-MOST_INCIDENTS);
    const remedy = remedyFor(this.#incidents, this.plan.rendering);
    if (remedy === "tolerate") return;
    this.#note(onFault(this.#record, fault, remedy, this.#clock.wall()));
    this.#restart(codeOf(remedy), fault);
  }

  /** The graphics processor does not work at all: the next starts do not try it. */
  noteWithoutGraphics(): void {
    this.#isWithoutGraphics = true;
    this.#note(withoutGraphics(this.#record, this.#clock.wall()));
  }

  /** Whether this run goes on without its graphics processor, or in safe mode, though it need not any more. */
  isPlanOver(): boolean {
    const { now, wall } = { now: this.#clock.now(), wall: this.#clock.wall() };
    return isPlanOver(this.plan, this.#record, now - this.#begunAt, wall);
  }

  /** Notes that the run ends in good order, unless it ends because of a fault. */
  end(): void {
    this.#callOffAlarm();
    if (this.#record.running) this.#note(onEnd(this.#record));
  }

  report(): RecoveryReport {
    const { restarts, lastTrouble, softwareUntil } = this.#record;
    const { safe } = this.plan;
    const rendering = this.#isWithoutGraphics ? "software" : this.plan.rendering;
    const until = softwareUntil === null ? null : new Date(softwareUntil).toISOString();
    return { rendering, softwareUntil: until, safeMode: safe, restartsInARow: restarts, lastTrouble };
  }

  #note(record: BootRecord): void {
    this.#record = record;
    this.#write();
  }

  #write(): void {
    writeBootRecord(this.#path, this.#record);
  }
}

function bootRecordPath(dataDir: string): string {
  return join(dataDir, "recovery.json");
}

function codeOf(remedy: Exclude<Remedy, "tolerate">): number {
  return remedy === "restart-in-software" ? EXIT.restartInSoftware : EXIT.restart;
}

const bootRecordSchema = z.object({
  bootId: z.string(),
  restarts: z.int().nonnegative(),
  running: z.boolean(),
  lastTrouble: z.enum(["gpu", "network", "slate", "dark", "uncaught", "crashed"]).nullable(),
  softwareUntil: z.number().nullable(),
});

/** Reads the boot record; one that cannot be read counts as none. */
function readBootRecord(path: string): BootRecord {
  return readSmallFile(path, bootRecordSchema) ?? NEW_BOOT_RECORD;
}

/** Writes the boot record; says whether the disk took it. */
function writeBootRecord(path: string, record: BootRecord): boolean {
  return writeSmallFile(path, record);
}

/** What sound is kept on or off with. */
export interface SoundParts {
  /** Whether everything plays without sound anyway. */
  readonly muted: boolean;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
  /** Whether the machine takes no sound. */
  readonly isStuck: () => Promise<boolean>;
  /** Ends whatever waits for that. */
  readonly endAudio: () => void;
}

/** Whether items play with sound: a machine whose sound is stuck must not keep them from the screen. */
export class Sound {
  readonly #parts: SoundParts;
  #state = SOUND_ON;
  #isAsking = false;

  constructor(parts: SoundParts) {
    this.#parts = parts;
  }

  get muted(): boolean {
    return this.#parts.muted || isSilent(this.#state, this.#parts.clock.now());
  }

  /** Takes in how an item of any screen ended, and looks after the sound where that may be to blame. */
  noteEnd(outcome: PlayoutOutcome): void {
    if (outcome.kind === "failed" && mayBeSound(outcome.reason) && !this.muted && !this.#isAsking) void this.#ask();
  }

  async #ask(): Promise<void> {
    const { clock, log, isStuck, endAudio } = this.#parts;
    this.#isAsking = true;
    const stuck = await isStuck();
    this.#isAsking = false;
    if (!stuck) return;
    const now = clock.now();
    this.#state = silenced(this.#state, now);
    const forMs = this.#state.silentUntil - now;
    log.warn({ forMs }, "the machine's sound is stuck: for a while everything plays without it");
    endAudio();
  }
}

/** What is begun anew, and how. */
export interface RenewalParts {
  readonly screens: readonly { readonly loop: Pick<ScreenLoop, "state" | "dispatch"> }[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly memory: () => ProcessMemory;
  /** Memory of the machine, in bytes. */
  readonly machineBytes: number;
  /** Whether the player would begin otherwise by now than it did. */
  readonly isPlanOver: () => boolean;
  readonly restart: () => void;
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 60_000;
/** What is given back within so many looks was no growth. */
const LOOKS = HEALTHY_AFTER_MS / LOOK_EVERY_MS;
const OVER_YET_EVERY_MS = 250;

/**
 * Begins the player anew when its memory has grown too much, or when it would begin otherwise by now, with its graphics or
 * another token say: in good order, once what is on air was shown in full. Until the signal is aborted.
 */
export async function renewWhenDue({ screens, clock, log, signal, ...parts }: RenewalParts): Promise<void> {
  const { memory, machineBytes, isPlanOver, restart } = parts;
  const states = () => screens.map(({ loop }) => loop.state());
  const later = async (ms: number) => {
    await reached(clock.now() + ms, clock, signal);
    return !signal.aborted;
  };
  let looks: readonly number[] = [];
  let atFirst: number | null = null;
  while (await later(LOOK_EVERY_MS)) {
    looks = [...looks, lasting(memory())].slice(-LOOKS);
    const least = looks.length < LOOKS ? null : Math.min(...looks);
    atFirst ??= least;
    const bytes = (least ?? 0) - (atFirst ?? 0);
    const isIdle = states().every(({ slot, queue }) => slot === null && queue.length === 0);
    const hour = new Date(clock.wall()).getHours();
    const hasGrown = isRenewalDue({ bytes, machineBytes, isIdle, hour });
    if (!hasGrown && !((isIdle || hour === QUIET_HOUR) && isPlanOver())) continue;
    if (hasGrown) log.warn({ grownBytes: bytes }, "memory has grown too much: the player begins anew after this item");
    else log.info("the player would begin otherwise by now: it begins anew after this item");
    for (const { loop } of screens) loop.dispatch({ kind: "suspend", because: "ending" });
    while (states().some(({ slot }) => slot !== null)) if (!(await later(OVER_YET_EVERY_MS))) return;
    return restart();
  }
}

/** Of the processes that live as long as the player: pages come and go. */
function lasting({ main = 0, gpu = 0, utility = 0 }: ProcessMemory): number {
  return main + gpu + utility;
}
