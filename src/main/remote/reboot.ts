import { execFile } from "node:child_process";

const ANSWERED_WITHIN_MS = 10_000;

const LOGIND = ["org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"];

/** Why this player may not have the machine restarted, in words, or null where it may: systemd-logind says. */
export async function mayReboot(platform = process.platform): Promise<string | null> {
  if (platform !== "linux") return "a player restarts the machine on Linux only";
  const { failure, said } = await ran("busctl", ["--system", "call", ...LOGIND, "CanReboot"]);
  if (failure !== null) return `systemd-logind cannot be asked: ${failure}`;
  return said.trim() === 's "yes"'
    ? null
    : "systemd-logind does not let the player's user restart the machine: spotloop-kiosk has the rule that does";
}

/** Has the machine restarted; what keeps it from that is on standard error, and so in the journal. */
export function reboot(): void {
  void ran("systemctl", ["reboot"]).then(({ failure }) => {
    if (failure !== null) process.stderr.write(`spotloop: the machine does not restart: ${failure}\n`);
  });
}

function ran(
  program: string,
  args: readonly string[],
): Promise<{ readonly failure: string | null; readonly said: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: ANSWERED_WITHIN_MS }, (error, said, complaint) => {
      const failure = complaint.trim().split("\n").at(0) || String(error?.code ?? error?.signal);
      resolve({ failure: error === null ? null : failure, said });
    });
  });
}
