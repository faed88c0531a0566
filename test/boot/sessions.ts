import { heals, killing } from "./handling.ts";
import type { Machine } from "./machine.ts";
import type { Turn } from "./screen.ts";
import { SEEN_WITHIN_MS, type Steps } from "./steps.ts";

const CONFIG = "/etc/spotloop/config.json";
const SETTING = "/etc/default/spotloop-kiosk";
const INSTALLED_WITHIN_MS = 20 * 60_000;

/** What an operator installs for Wayland. */
export const FOR_WAYLAND = ["cage", "xwayland", "wlr-randr"];

/** Where a picture can be turned. */
export interface Turning {
  /** Debian 12's X server does not draw a turned picture on a virtual graphics card, and its cage turns none at all. */
  readonly canTurn: boolean;
}

/**
 * Turns the picture, puts Wayland in X11's place by its one setting and X11 back in Wayland's, and sees to it that spots are on
 * the screen each time. Resolves with when the compositor was killed, Unix epoch milliseconds.
 */
export async function changeSessions(steps: Steps, machine: Machine, { canTurn }: Turning): Promise<readonly number[]> {
  if (canTurn) await turn(steps, machine, "X11");
  await steps.take("Wayland in X11's place, by one setting and a reboot", INSTALLED_WITHIN_MS, async (signal) => {
    await machine.run(`apt-get install --yes ${FOR_WAYLAND.join(" ")}`, INSTALLED_WITHIN_MS);
    await machine.run(`echo SPOTLOOP_SESSION=wayland >${SETTING}`);
    await machine.reboot(signal);
    return `${await machine.spot(signal)} on the screen of ${await displayOf(machine, "wayland")}`;
  });
  const brokenAt = await heals(steps, machine, "the compositor dies", () => killing("spotloop-wayland.service"));
  if (canTurn) await turn(steps, machine, "Wayland");
  await steps.take("X11 again, by the same setting", SEEN_WITHIN_MS, async (signal) => {
    await machine.run(`echo SPOTLOOP_SESSION=x11 >${SETTING}`);
    await machine.reboot(signal);
    return `${await machine.spot(signal)} on the screen of ${await displayOf(machine, "x11")}`;
  });
  return [brokenAt];
}

/** Turns the picture by a quarter and back, as an operator of a portrait screen does. */
async function turn(steps: Steps, machine: Machine, session: string): Promise<void> {
  const turned = (degrees: Turn) =>
    steps.take(`the picture is turned by ${degrees} degrees, on ${session}`, SEEN_WITHIN_MS, async (signal) => {
      await configure(machine, { display: { rotate: degrees } });
      await machine.run("systemctl restart --no-block spotloop");
      return `${await machine.spot(signal, degrees)} on the screen`;
    });
  await turned(90);
  await turned(0);
}

async function configure(machine: Machine, change: Readonly<Record<string, unknown>>): Promise<void> {
  const config = { ...JSON.parse(await machine.run(`cat ${CONFIG}`)), ...change };
  await machine.run(`printf %s '${JSON.stringify(config)}' >${CONFIG}`);
}

const SERVERS = { wayland: "cage", x11: "Xorg" } as const;

/** The display server that shows the screen; throws where the player plays on another. */
async function displayOf(machine: Machine, platform: keyof typeof SERVERS): Promise<string> {
  const { mainPid } = await machine.unit();
  const words = await machine.run(`tr '\\0' ' ' </proc/${mainPid}/cmdline`);
  if (!words.includes(`--ozone-platform=${platform}`)) throw new Error(`the player runs as ${words}`);
  await machine.run(`pidof ${SERVERS[platform]}`);
  return SERVERS[platform];
}
