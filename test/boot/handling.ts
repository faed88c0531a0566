import type { ChaosNetwork } from "../chaos/network.ts";
import { gapWithin } from "./gap.ts";
import type { Machine } from "./machine.ts";
import { SEEN_WITHIN_MS, type Steps, until } from "./steps.ts";

const INSTALLED_WITHIN_MS = 20 * 60_000;
/** The goal is 10 s on a PC; an emulated processor starts Electron that much more slowly. */
const RESTARTED_WITHIN_S = 120;

/**
 * Breaks something by a command, and sees to it that spots come back in another process. Resolves with when it was broken,
 * Unix epoch milliseconds: a proof that was under way then may be sent once more.
 */
export async function heals(
  steps: Steps,
  machine: Machine,
  name: string,
  command: (mainPid: number) => string,
): Promise<number> {
  const { brokenAt } = await steps.find(
    name,
    SEEN_WITHIN_MS,
    async (signal) => {
      const before = await machine.unit();
      const since = performance.now();
      await machine.run(command(before.mainPid));
      const brokenAt = Date.now();
      const after = await until(signal, async () => {
        const unit = await machine.unit();
        return unit.isActive && unit.mainPid !== before.mainPid ? unit : null;
      });
      const creative = await machine.spot(signal);
      const seconds = Math.round((performance.now() - since) / 1000);
      return { brokenAt, seen: `${creative} on the screen after ${seconds} s, restart ${after.restarts}` };
    },
    ({ seen }) => seen,
  );
  return brokenAt;
}

/** Breaks what a player stands on. Resolves with when each was broken, as `heals` does. */
export async function breakThings(steps: Steps, machine: Machine): Promise<readonly number[]> {
  return [
    await heals(steps, machine, "the player is killed", (pid) => `kill -KILL ${pid}`),
    await heals(steps, machine, "the player stands still", (pid) => `kill -STOP ${pid}`),
    await heals(steps, machine, "the display dies", () => killing("spotloop-display.service")),
  ];
}

/** The command that ends a unit's own process on the spot. */
export function killing(unit: string): string {
  return `kill -KILL $(systemctl show ${unit} -P MainPID)`;
}

/** Installs the newer packages over a player that plays and owes proofs which the network does not take meanwhile. */
export async function install(steps: Steps, machine: Machine, network: ChaosNetwork, version: string): Promise<void> {
  await steps.take("an upgrade restarts into the new version", INSTALLED_WITHIN_MS, async (signal) => {
    await network.misbehave([{ match: { surface: "media", route: "pop" }, do: { status: 503 } }]);
    const owedBefore = await until(signal, async () => {
      const owed = (await machine.health())?.proofs.owed ?? 0;
      return owed > 0 ? owed : null;
    });
    const files = `/root/spotloop_${version}*.deb /root/spotloop-kiosk_${version}*.deb`;
    await machine.run(`apt-get install --yes ${files}`, INSTALLED_WITHIN_MS);
    const health = await until(signal, async () => {
      const now = await machine.health();
      return now?.versions.spotloop?.startsWith(version) ? now : null;
    });
    if (health.proofs.owed < owedBefore) throw new Error(`${owedBefore} proofs were owed, ${health.proofs.owed} now`);
    const creative = await machine.spot(signal);
    const gap = await gapWithin(RESTARTED_WITHIN_S, machine);
    await network.misbehave([]);
    return `${health.versions.spotloop}, ${gap}, ${health.proofs.owed} proofs owed (${owedBefore} before); ${creative} on the screen`;
  });
}

/** Removes the packages, and looks for what is left running. */
export async function remove(steps: Steps, machine: Machine): Promise<void> {
  await steps.take("apt remove leaves nothing running", INSTALLED_WITHIN_MS, async () => {
    await machine.run("apt-get remove --yes spotloop", INSTALLED_WITHIN_MS);
    const left = await machine.run("pgrep --list-full --euid spotloop; pgrep --list-full Xorg; true");
    if (left !== "") throw new Error(`still running: ${left}`);
    const units = await machine.run("systemctl list-units --all --plain --no-legend 'spotloop*'; true");
    if (/\bactive\b/.test(units)) throw new Error(`still there: ${units}`);
    await machine.run("test -e /var/lib/spotloop/proofs.db");
    await machine.photograph();
    return "no process, no unit that is active; the proofs are there";
  });
}
