import { execFile } from "node:child_process";

/** What the player tells its supervisor when it ends. */
export const EXIT = {
  /** It was asked to stop. */
  stopped: 0,
  /** Please restart it. */
  restart: 75,
  /** Please restart it; it will render in software. */
  restartInSoftware: 76,
  /** The configuration is unusable: starting it again will not help until somebody mends the file. */
  configuration: 78,
} as const;

/** Tells systemd how far the player is, where the unit asks for it (`Type=notify`, `WatchdogSec`). */
export interface Supervision {
  /**
   * Something is on the screen, in words for `systemctl status`. The first time the unit is started by that. From then on
   * the watchdog is fed whenever `isAlive` resolves: without one, for as long as the main process turns.
   */
  shows(status: string, isAlive?: () => Promise<unknown>): void;
  /** Nothing can be shown yet, through no fault of this process: the time that the unit has for its start is extended. */
  waits(status: string): void;
  /** Tells nothing any more. */
  end(): void;
}

/** How often the watchdog is fed within the time that systemd grants: one lost message does not end the player. */
const BEATS_PER_PERIOD = 3;
/** How often a wait is told where the unit has no watchdog. */
const UNWATCHED_PERIOD_MS = 60_000;

type State =
  | { readonly kind: "starting" }
  | { readonly kind: "waiting" }
  | { readonly kind: "showing"; readonly isAlive: () => Promise<unknown> };

/** Nothing is told where there is nobody to tell. A start that shows nothing and waits for nothing runs out of its time. */
export function superviseBy({ NOTIFY_SOCKET, WATCHDOG_USEC }: NodeJS.ProcessEnv): Supervision {
  if (NOTIFY_SOCKET === undefined) return { shows() {}, waits() {}, end() {} };
  const watchdogMs = Number(WATCHDOG_USEC ?? 0) / 1_000;
  const periodMs = watchdogMs > 0 ? watchdogMs : UNWATCHED_PERIOD_MS;
  let state: State = { kind: "starting" };
  let isReady = false;
  // Node has no datagram sockets of this kind. Where the program is missing the unit's log says so, at each kill.
  const tell = (...words: readonly string[]) => {
    if (words.length > 0) execFile("systemd-notify", words, { timeout: periodMs }, () => {});
  };
  const fed = watchdogMs > 0 ? ["WATCHDOG=1"] : [];
  const beat = async () => {
    if (state.kind === "starting") return;
    if (state.kind === "waiting") return tell(...fed, ...(isReady ? [] : [`EXTEND_TIMEOUT_USEC=${periodMs * 1_000}`]));
    // What does not answer in time is asked again at the next beat.
    await state.isAlive().then(
      () => tell(...fed),
      () => {},
    );
  };
  const timer = setInterval(() => void beat(), periodMs / BEATS_PER_PERIOD);
  return {
    shows(status, isAlive = async () => {}) {
      state = { kind: "showing", isAlive };
      tell(...(isReady ? [] : ["READY=1"]), ...fed, statusOf(status));
      isReady = true;
    },
    waits(status) {
      state = { kind: "waiting" };
      tell(statusOf(status));
      void beat();
    },
    end() {
      clearInterval(timer);
    },
  };
}

/** One line: another would be another assignment. */
function statusOf(status: string): string {
  return `STATUS=${status.replace(/\s+/g, " ")}`;
}
