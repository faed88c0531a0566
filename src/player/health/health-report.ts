import type { Logger } from "pino";
import type { PanelState } from "../../core/displays/panel.ts";
import type { Fault } from "../../core/recovery.ts";
import type { ItemKind } from "../../core/spot.ts";
import type { DataMonth } from "../network/data-meter.ts";
import type { Sums } from "../proofs/day-report.ts";
import type { Upgrade } from "./upgrade.ts";

/** How one screen is. */
export interface ScreenHealth {
  /**
   * `failing` when nothing has been shown for too long. When nothing is to be shown: `closed` outside opening hours,
   * `overridden` while the operator's message or test card is, `off` while the operator has switched the display off.
   */
  readonly status: "ok" | "starting" | "closed" | "overridden" | "off" | "failing";
  /**
   * `nothing` where the screen is closed or off, or nobody could see it: no display, or something in front of it.
   * `override`: the operator's message or test card.
   */
  readonly onAir: OnAir | "house" | "override" | "nothing";
  /** The item that is ready to follow, or null. */
  readonly next: NextItem | null;
  /** One line, or null. */
  readonly lastError: string | null;
  /** Why its display is not as `display.mode`, `rotate`, `scale` and `power` say, in one line, or null. */
  readonly displayTrouble: string | null;
  /** Whether its display is on, as far as something has said so, and who said what: `cec says on`. */
  readonly panel: { readonly state: PanelState; readonly by: readonly string[] };
}

/**
 * How the player is: what `/health` answers, and what the page for people shows. Instants are ISO 8601, UTC. Of several
 * screens the status is the worst; what is on air and next, and the panel, are the first one's; the last error and the
 * display's trouble are those of the first that has one.
 */
export interface HealthReport extends ScreenHealth {
  /** Each of several screens; one alone is told of above. */
  readonly screens?: readonly ({ readonly screenId: string } & ScreenHealth)[];
  /** `portal` while a captive portal answers in the service's place: somebody must log in to this network. */
  readonly network: NetworkState;
  readonly proofs: {
    readonly owed: number;
    readonly delivered: number;
    readonly refused: number;
    readonly expired: number;
    readonly oldestDeadline: string | null;
    /** Of the refused ones the one whose item was shown last, or null. */
    readonly lastRefused: RefusedReport | null;
  };
  readonly record: RecordReport;
  /** What `spotloop report` tells of the day so far, UTC. */
  readonly today: Sums;
  readonly cache: { readonly files: number; readonly bytes: number; readonly maxBytes: number };
  /** What media took of the line in this month, and downloads that the limit did not suffice for. */
  readonly data: DataMonth;
  /** By name: `spotloop`, `electron`, `chromium`, `node`. */
  readonly versions: Readonly<Record<string, string>>;
  /** The last upgrade that was watched over, or null. */
  readonly upgrade: Upgrade | null;
  /** Since the machine was started. */
  readonly restarts: number;
  readonly recovery: RecoveryReport;
  readonly remote: RemoteReport;
  readonly clock: {
    readonly wall: string;
    /** How far the service's clock is ahead of this machine's, or null until it has told. */
    readonly offsetMs: number | null;
    /** `offsetMs` is this close to the true one; null where the service's answers do not tell it. */
    readonly uncertaintyMs: number | null;
    readonly bootId: string;
  };
}

/** A proof that the service did not take: nobody pays for that play. */
export interface RefusedReport {
  readonly at: string;
  readonly screenId: string;
  readonly itemId: string;
  readonly kind: ItemKind;
  /** The HTTP status of the last answer, where that is known. */
  readonly status: number | null;
}

/** How the playout record is. */
export interface RecordReport {
  /** Rows that are kept. */
  readonly rows: number;
  /** Rows that are not in it: the disk does not take them, or they had to be given up. */
  readonly unwritten: number;
  /** When its last checkpoint was signed, or null. */
  readonly signedAt: string | null;
  /** What keeps it from being signed, or null. */
  readonly trouble: string | null;
}

/** Who can reach the player from afar, and what stands in place of spots by that. */
export interface RemoteReport {
  /** Whether the broker is connected; null where there is none. */
  readonly broker: boolean | null;
  readonly shown: "message" | "test-card" | null;
  /** Since when a message is shown, or null. */
  readonly messageSince: string | null;
  readonly displays: "on" | "off";
}

/** How the player deals with what is wrong with the machine rather than with a creative. */
export interface RecoveryReport {
  readonly rendering: "hardware" | "software";
  /** Until when the graphics processor is not tried again, or null where it is used. */
  readonly softwareUntil: string | null;
  readonly safeMode: boolean;
  /** Restarts caused by faults, without a healthy run in between. */
  readonly restartsInARow: number;
  /** What led to the last of them, or null. */
  readonly lastTrouble: Fault | null;
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
  const displayTrouble = screens.find((screen) => screen.displayTrouble !== null)?.displayTrouble ?? null;
  return { ...health, status, lastError, displayTrouble, screens };
}

const FROM_WORST = ["failing", "starting", "overridden", "off", "ok", "closed"] as const;

/** What stands between the player and the service, as far as requests for spots tell: nothing, or a captive portal. */
export type NetworkState = "ok" | "portal";

/** Remembers what spots last met on their way, and writes it into the log when that begins and when it ends. */
export class NetworkWatch {
  readonly #log: Logger;
  #state: NetworkState = "ok";

  constructor(log: Logger) {
    this.#log = log;
  }

  get state(): NetworkState {
    return this.#state;
  }

  note(meetsPortal: boolean): void {
    const state = meetsPortal ? "portal" : "ok";
    if (state === this.#state) return;
    this.#state = state;
    if (meetsPortal)
      this.#log.error("a captive portal answers in the service's place: somebody must log in to this network");
    else this.#log.info("the service answers again, and no captive portal");
  }
}
