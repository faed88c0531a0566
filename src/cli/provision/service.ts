import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Command } from "commander";
import { z } from "zod";
import { readConfig } from "../../player/config/config.ts";
import type { Environment } from "../../player/config/environment.ts";
import { DIRECT, requestsBy } from "../../player/network/uplink.ts";
import { readSmallFile } from "../../player/small-file.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { plain, say } from "../text.ts";
import { configTarget } from "./config-file.ts";

/**
 * What `provision` ends with where the player's unit is to be started, or stopped and started, now that all is well. Only
 * root may do that, and the packaged command line runs as the player's user: so `assets/linux/spotloop.sh` does it, which
 * says by `SPOTLOOP_STARTER` that it can, and asks for `spotloop first-picture` then.
 */
export const STARTS = { start: 100, restart: 101 } as const;

/** Whether the caller can start the unit, and the unit plays by the configuration at `path`. */
export function canStartService(path: string, env: Environment): boolean {
  return env.SPOTLOOP_STARTER === "1" && configTarget(null, env) === path;
}

/** How long a player that was started may take until it shows something. */
const SHOWN_WITHIN_MS = 60_000;
const LOOK_EVERY_MS = 500;
const ANSWERS_WITHIN_MS = 2_000;

/** `spotloop first-picture`: looks at a player that was just started until it shows something, for a minute at most. */
export function firstPictureCommand(): Command {
  return new Command("first-picture").action(() => awaitFirstPicture(process.env, SHOWN_WITHIN_MS));
}

/**
 * Waits for the player's health page to say that a spot is on the screen, or why rightly none is, and says so; house content is
 * told, too. Ends the command with 1 where the page says nothing of the kind for so long.
 */
async function awaitFirstPicture(env: Environment, withinMs: number): Promise<void> {
  const reading = readConfig({ path: null, env });
  if (reading.kind === "bad") throw new CommandFailure("There is no usable configuration.", exitCodes.configuration);
  const { dataDir, health } = reading.config;
  if (health.port === null) return say("The player starts. Its health pages are off: look at the screen.");
  say(`The player starts. Waiting for its first spot, for ${withinMs / 1_000} s at most…`);
  // By no clock that is set: the network does that on a new machine, about now.
  const until = performance.now() + withinMs;
  let isHouseTold = false;
  while (performance.now() < until) {
    const shown = await shownBy(join(dataDir, "health.json"));
    if (shown !== null && shown !== "house") return say(shown);
    if (shown === "house" && !isHouseTold) say("House content is on the screen.");
    isHouseTold ||= shown === "house";
    await sleep(LOOK_EVERY_MS);
  }
  if (isHouseTold) return say("No spot came yet; the player goes on asking. See why with: spotloop doctor");
  throw new CommandFailure("Nothing is shown yet. See why with: systemctl status spotloop, journalctl -u spotloop -b");
}

const healthSchema = z.object({
  status: z.string(),
  onAir: z.union([z.object({ kind: z.string(), title: z.string() }), z.enum(["house", "override", "nothing"])]),
});

/** Why a player rightly shows no spots, by the status that its health page tells. */
const WITHHELD: Readonly<Record<string, string>> = {
  closed: "The location is closed now: the player shows spots again when it opens.",
  overridden: "The operator's message or test card is on the screen: the player shows spots again after it.",
  off: "The operator has switched the display off: the player shows spots again when it is on.",
};

/** What a player shows, in words; `house` for house content, and null where nothing is shown or nobody answers. */
async function shownBy(note: string): Promise<string | null> {
  const noted = readSmallFile(note, z.object({ port: z.int() }));
  if (noted === null) return null;
  try {
    const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
    const reply = await requestsBy(DIRECT).fetch(`http://127.0.0.1:${noted.port}/health`, { signal });
    const { status, onAir } = healthSchema.parse(await reply.json());
    if (typeof onAir === "object") return `On the screen: ${plain(onAir.title)} (${onAir.kind}).`;
    return WITHHELD[status] ?? (onAir === "house" ? "house" : null);
  } catch {
    // A player that is being started, or whose answer is none: it is asked again.
    return null;
  }
}
