import type { Trouble } from "../core/recovery.ts";
import type { ItemKind } from "../core/spot.ts";
import type { Sums } from "./day-report.ts";

/** How the player is: what `/health` answers, and what the page for people shows. Instants are ISO 8601, UTC. */
export interface HealthReport {
  /** `failing` when nothing has been shown for too long; `closed` outside opening hours, when nothing is to be shown. */
  readonly status: "ok" | "starting" | "closed" | "failing";
  readonly onAir: OnAir | "house";
  /** The item that is ready to follow, or null. */
  readonly next: NextItem | null;
  readonly proofs: {
    readonly owed: number;
    readonly delivered: number;
    readonly refused: number;
    readonly expired: number;
    readonly oldestDeadline: string | null;
  };
  /** What `spotloop report` tells of the day so far, UTC. */
  readonly today: Sums;
  readonly cache: { readonly files: number; readonly bytes: number; readonly maxBytes: number };
  /** By name: `spotloop`, `electron`, `chromium`, `node`. */
  readonly versions: Readonly<Record<string, string>>;
  /** Since the machine was started. */
  readonly restarts: number;
  readonly recovery: RecoveryReport;
  readonly clock: {
    readonly wall: string;
    /** How far the service's clock is ahead of this machine's, or null until it has told. */
    readonly offsetMs: number | null;
    readonly bootId: string;
  };
  /** One line, or null. */
  readonly lastError: string | null;
}

/** How the player deals with what is wrong with the machine rather than with a creative. */
export interface RecoveryReport {
  readonly rendering: "hardware" | "software";
  /** Until when the graphics processor is not tried again, or null where it is used. */
  readonly softwareUntil: string | null;
  readonly safeMode: boolean;
  /** Restarts that troubles led to, without a healthy run in between. */
  readonly restartsInARow: number;
  /** What led to the last of them, or null. */
  readonly lastTrouble: Trouble | null;
}

export interface NextItem {
  readonly kind: ItemKind;
  readonly id: string;
  readonly title: string;
  readonly durationMs: number;
}

export interface OnAir extends NextItem {
  /** When its first frame was presented. */
  readonly since: string;
}
