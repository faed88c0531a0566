import type { Logger } from "pino";
import type { SleepingClock } from "../../player/clock.ts";
import type { Player } from "../../player/player.ts";
import { runProgram } from "../../player/run-program.ts";

/** Electron's `powerMonitor`, as far as it is listened to. */
export interface PowerMonitor {
  on(event: "suspend" | "resume", listener: () => void): unknown;
  off(event: "suspend" | "resume", listener: () => void): unknown;
}

/** Where nobody tells of sleep, as without a session bus, it is found out within so long after waking. */
const LOOK_EVERY_MS = 1_000;

/**
 * Has the player give up what is on air whenever the machine is about to sleep or has slept: nobody saw it in full (G2).
 * The clock counts the sleep then, by which ready spots can be stale (G3) and proofs due. Until the function that it
 * returns is called.
 */
export function watchPower(
  monitor: PowerMonitor,
  clock: Pick<SleepingClock, "onWake" | "look">,
  player: Pick<Player, "interrupt">,
  log: Logger,
): () => void {
  const onSuspend = () => {
    log.info("the machine is about to sleep");
    player.interrupt();
  };
  // The clock first: where it counts sleep of itself, nothing is told by it, and something may have begun since.
  const onResume = () => {
    clock.look();
    player.interrupt();
  };
  clock.onWake((sleptMs) => {
    log.info({ sleptMs: Math.round(sleptMs) }, "the machine has slept");
    player.interrupt();
  });
  monitor.on("suspend", onSuspend);
  monitor.on("resume", onResume);
  const timer = setInterval(() => clock.look(), LOOK_EVERY_MS);
  return () => {
    clearInterval(timer);
    monitor.off("suspend", onSuspend);
    monitor.off("resume", onResume);
  };
}

const LOGIND = ["org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"];

/** Why this player may not have the machine restarted, in words, or null where it may: systemd-logind says. */
export async function mayReboot(platform = process.platform): Promise<string | null> {
  if (platform !== "linux") return "a player restarts the machine on Linux only";
  const ran = await runProgram("busctl", ["--system", "call", ...LOGIND, "CanReboot"]);
  if (ran.kind !== "ran") return `systemd-logind cannot be asked: ${ran.reason}`;
  return ran.output.trim() === 's "yes"'
    ? null
    : "systemd-logind does not let the player's user restart the machine: spotloop-kiosk has the rule that does";
}

/** Has the machine restarted; what keeps it from that is on standard error, and so in the journal. */
export function reboot(): void {
  void runProgram("systemctl", ["reboot"]).then((ran) => {
    if (ran.kind !== "ran") process.stderr.write(`spotloop: the machine does not restart: ${ran.reason}\n`);
  });
}
