import { setTimeout as sleep } from "node:timers/promises";
import type { ChaosNetwork, Ledger } from "../chaos/network.ts";
import type { Machine } from "./machine.ts";
import { SEEN_WITHIN_MS, type Steps, until } from "./steps.ts";

const NOT_SET_UP = /not set up yet/i;
const LOOK_EVERY_MS = 20_000;

/** Boots a machine for the first time, leaves it alone for a while, makes it a screen, and boots it once more. */
export async function setUp(steps: Steps, machine: Machine, network: ChaosNetwork, idleMs: number): Promise<void> {
  await steps.take("first boot: says what is missing", SEEN_WITHIN_MS, async (signal) => {
    await machine.switchOn();
    return `"${(await machine.text(NOT_SET_UP, signal)).slice(0, 60)}…"`;
  });
  await steps.take(`goes on saying so for ${idleMs / 60_000} min`, idleMs + SEEN_WITHIN_MS, async (signal) => {
    const before = await machine.unit();
    const endsAt = Date.now() + idleMs;
    while (Date.now() < endsAt) {
      await machine.text(NOT_SET_UP, signal);
      await sleep(LOOK_EVERY_MS, undefined, { signal });
    }
    const { mainPid, restarts, isActive, isHardened, status } = await machine.unit();
    if (mainPid !== before.mainPid || restarts !== 0 || !isActive) throw new Error(`it was restarted: ${status}`);
    if (!isHardened) throw new Error("the player is not hardened");
    const stranger = await machine.run("runuser -u nobody -- env DISPLAY=:0 xset q 2>&1 || true");
    if (!stranger.startsWith("Authorization required")) throw new Error(`the display lets anybody in: ${stranger}`);
    return `the same process, hardened and active, "${status}"`;
  });
  await steps.take("spotloop provision leads to the first proof", SEEN_WITHIN_MS, async (signal, note) => {
    await machine.run("install -o spotloop -m 600 /dev/null /etc/spotloop/org-token");
    await machine.run(`printf %s ${network.orgToken} >/etc/spotloop/org-token`);
    const names = `--id ${network.screenId} --location loc_harbour --base-url ${network.baseUrl}`;
    const command = `spotloop provision ${names} --org-token-file /etc/spotloop/org-token --yes`;
    // It waits a minute for the first spot, in which an emulated processor may not get there: the screen is waited for here.
    const said = await machine.run(`${command} || echo "It ended with $?."`, SEEN_WITHIN_MS);
    note(said);
    const creative = await machine.spot(signal);
    await until(signal, async () => (isProved(await network.ledger()) ? true : null));
    return `${creative} on the screen; it said: ${said.split("\n").at(-1)}`;
  });
  await steps.take("a reboot plays by itself", SEEN_WITHIN_MS, async (signal) => {
    await machine.reboot(signal);
    return `${await machine.spot(signal)} on the screen`;
  });
}

/** Whether the network has counted a proof. */
function isProved(ledger: Ledger): boolean {
  const calls = ledger.flatMap(({ news, ad }) => [...(news?.pops ?? []), ...(ad?.pops ?? [])]);
  return calls.some(({ verdict }) => verdict === "counted");
}
