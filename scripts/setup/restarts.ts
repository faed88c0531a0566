// Run by whatever starts a player from this checkout and is to do what the systemd unit does on a kiosk.
import type { Child } from "./child.ts";

/** As `RestartSec` in `assets/spotloop.service`. */
export const RESTART_AFTER_MS = 3_000;

/** Whether a player that ended with this code is to be started again (`src/main/recovery/supervisor.ts`). */
export function asksForRestart(code: number): boolean {
  return code === 75 || code === 76;
}

/** A player that is started again, in the same way, whenever it asks for it. */
export function startAgain(start: () => Child): Child {
  let child = start();
  let stopping = false;
  let wake = () => {};
  /** Of the one before: one that was just started has said nothing yet. */
  let complaint = "";

  async function lives(): Promise<string> {
    for (;;) {
      const how = await child.ended;
      complaint = child.complaint();
      if (stopping || !asksForRestart(child.process.exitCode ?? 0)) return how;
      await new Promise<void>((resolve) => {
        wake = resolve;
        setTimeout(resolve, RESTART_AFTER_MS);
      });
      if (stopping) return how;
      child = start();
    }
  }

  const ended = lives();
  return {
    get process() {
      return child.process;
    },
    ended,
    complaint: () => child.complaint() || complaint,
    async stop() {
      stopping = true;
      wake();
      await child.stop();
      await ended;
    },
  };
}
