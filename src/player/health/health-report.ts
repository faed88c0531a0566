import type { Trouble } from "../../core/recovery.ts";
import type { ItemKind } from "../../core/spot.ts";
import type { Sums } from "../proofs/day-report.ts";

/** How one screen is. */
export interface ScreenHealth {
  /** `failing` when nothing has been shown for too long; `closed` outside opening hours, when nothing is to be shown. */
  readonly status: "ok" | "starting" | "closed" | "failing";
  /** `nothing` where the screen is closed or nobody could see it: no display, or something in front of it. */
  readonly onAir: OnAir | "house" | "nothing";
  /** The item that is ready to follow, or null. */
  readonly next: NextItem | null;
  /** One line, or null. */
  readonly lastError: string | null;
}

/**
 * How the player is: what `/health` answers, and what the page for people shows. Instants are ISO 8601, UTC. Of several
 * screens the status is the worst, and what is on air, next and the last error are those of the first that has it.
 */
export interface HealthReport extends ScreenHealth {
  /** Each of several screens; one alone is told of above. */
  readonly screens?: readonly ({ readonly screenId: string } & ScreenHealth)[];
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

/** How the screens of a player are, all in all; `screens` are one at least. */
export function sumOf(
  screens: readonly ({ readonly screenId: string } & ScreenHealth)[],
): ScreenHealth & Pick<HealthReport, "screens"> {
  const [first, ...others] = screens;
  if (first === undefined) throw new Error("a player without a screen");
  const { screenId: _, ...health } = first;
  if (others.length === 0) return health;
  const status = FROM_WORST.find((one) => screens.some((screen) => screen.status === one)) ?? "ok";
  const lastError = screens.find((screen) => screen.lastError !== null)?.lastError ?? null;
  return { ...health, status, lastError, screens };
}

const FROM_WORST = ["failing", "starting", "ok", "closed"] as const;
