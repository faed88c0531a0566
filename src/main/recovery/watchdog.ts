import { execFile } from "node:child_process";

/** So many times within the time that systemd grants; one that is lost does not end the player. */
const BEATS_PER_PERIOD = 3;

/**
 * Tells systemd that the main process still turns, where the unit asks for it (`WatchdogSec`): one that stands still is
 * then killed and started again. The function it returns ends that.
 */
export function feedWatchdog({ NOTIFY_SOCKET, WATCHDOG_USEC }: NodeJS.ProcessEnv): () => void {
  const periodMs = Number(WATCHDOG_USEC ?? 0) / 1_000;
  if (NOTIFY_SOCKET === undefined || !(periodMs > 0)) return () => {};
  // Node has no datagram sockets of this kind. Where the program is missing the unit's log says so, at each kill.
  const beat = () => void execFile("systemd-notify", ["WATCHDOG=1"], { timeout: periodMs }, () => {});
  beat();
  const timer = setInterval(beat, periodMs / BEATS_PER_PERIOD);
  return () => clearInterval(timer);
}
