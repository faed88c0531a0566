import { join } from "node:path";
import { z } from "zod";
import {
  begun,
  ended,
  endedBy,
  HEALTHY_AFTER_MS,
  healthy,
  type Incident,
  type Ledger,
  NEW_LEDGER,
  type Remedy,
  remedyFor,
  type StartPlan,
  startPlan,
  type Trouble,
  withoutGraphics,
} from "../../core/recovery.ts";
import type { Clock } from "../../player/clock.ts";
import type { RecoveryReport } from "../../player/health/health-report.ts";
import { readSmallFile, writeSmallFile } from "../../player/small-file.ts";
import { EXIT } from "./supervisor.ts";

/** Older incidents of a run are forgotten; none of the rules counts as many. */
const MOST_INCIDENTS = 32;

/** How the run that begins now is to be begun, by the ledger in its data folder. */
export function planStart(dataDir: string, clock: Clock): StartPlan {
  return startPlan(readLedger(ledgerPath(dataDir)), clock.bootId, clock.wall());
}

/** Keeps the ledger of one run, and has the player started again where a trouble is not to be borne. */
export class Recovery {
  readonly #path: string;
  readonly #clock: Clock;
  readonly plan: StartPlan;
  #ledger: Ledger;
  #incidents: readonly Incident[] = [];
  #restart: (code: number, trouble: Trouble) => void;
  #callOffAlarm: () => void;

  /** Notes that a run begins. `restart` ends the process with an exit code until somebody else is to. */
  constructor(dataDir: string, plan: StartPlan, clock: Clock, restart: (code: number) => void) {
    this.#path = ledgerPath(dataDir);
    this.#clock = clock;
    this.plan = plan;
    this.#restart = restart;
    this.#ledger = begun(readLedger(this.#path), clock.bootId, clock.wall());
    this.#write();
    this.#callOffAlarm = clock.alarm(clock.now() + HEALTHY_AFTER_MS, () => this.#note(healthy(this.#ledger)));
  }

  /** From here on a restart is made in this way: with the code to end with, and why. */
  restartBy(restart: (code: number, trouble: Trouble) => void): void {
    this.#restart = restart;
  }

  /** Takes in a trouble, and does about it what is to be done. */
  meet(trouble: Trouble): void {
    if (!this.#ledger.running) return;
    this.#incidents = [...this.#incidents, { trouble, at: this.#clock.now() }].slice(-MOST_INCIDENTS);
    const remedy = remedyFor(this.#incidents, this.plan.rendering);
    if (remedy === "bear") return;
    this.#note(endedBy(this.#ledger, trouble, remedy, this.#clock.wall()));
    this.#restart(codeOf(remedy), trouble);
  }

  /** The graphics processor does not work at all: the next starts do not try it. */
  noteWithoutGraphics(): void {
    this.#note(withoutGraphics(this.#ledger, this.#clock.wall()));
  }

  /** Notes that the run ends in good order, unless it ends for a trouble. */
  end(): void {
    this.#callOffAlarm();
    if (this.#ledger.running) this.#note(ended(this.#ledger));
  }

  report(): RecoveryReport {
    const { restarts, lastTrouble, softwareUntil } = this.#ledger;
    const { rendering, safe } = this.plan;
    const until = softwareUntil === null ? null : new Date(softwareUntil).toISOString();
    return { rendering, softwareUntil: until, safeMode: safe, restartsInARow: restarts, lastTrouble };
  }

  #note(ledger: Ledger): void {
    this.#ledger = ledger;
    this.#write();
  }

  #write(): void {
    writeLedger(this.#path, this.#ledger);
  }
}

function ledgerPath(dataDir: string): string {
  return join(dataDir, "recovery.json");
}

function codeOf(remedy: Exclude<Remedy, "bear">): number {
  return remedy === "restart-in-software" ? EXIT.restartInSoftware : EXIT.restart;
}

const ledgerSchema = z.object({
  bootId: z.string(),
  restarts: z.int().nonnegative(),
  running: z.boolean(),
  lastTrouble: z.enum(["gpu", "network", "slate", "dark", "uncaught", "crashed"]).nullable(),
  softwareUntil: z.number().nullable(),
});

/** Reads what the runs before left behind; whatever cannot be read counts as nothing. */
function readLedger(path: string): Ledger {
  return readSmallFile(path, ledgerSchema) ?? NEW_LEDGER;
}

/** Writes a ledger; says whether the disk took it. */
function writeLedger(path: string, ledger: Ledger): boolean {
  return writeSmallFile(path, ledger);
}
