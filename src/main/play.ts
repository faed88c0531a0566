import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import { app, powerSaveBlocker } from "electron";
import type { Clock } from "../player/clock.ts";
import type { GoodConfig } from "../player/config/config.ts";
import { codeOf } from "../player/database.ts";
import { ExclusiveLock } from "../player/exclusive-lock.ts";
import { raiseStages } from "./raise-stage.ts";

/**
 * Plays by a configuration until the process is asked to stop. Stages are raised first: while Chromium makes their
 * windows and processes, the rest of the player is loaded.
 */
export async function play(good: GoodConfig, clock: Clock): Promise<void> {
  const { dataDir, screens } = good.config;
  const flaw = flawOf(dataDir);
  const lock = new ExclusiveLock(join(dataDir, "player.lock"));
  const alone = flaw !== null || lock.take();
  // Chromium's own files lie there too. Its own lock is not asked for: one that a power cut left behind would fail it.
  if (flaw === null && alone) app.setPath("userData", join(dataDir, "chromium"));
  await app.whenReady();
  powerSaveBlocker.start("prevent-display-sleep");
  const raised = alone ? raiseStages(screens) : null;
  const { run } = await import("./run.ts");
  await run({ good, clock, lock, raised, flaw });
}

/** Makes the data folder where it is missing; says what is wrong with one that cannot be used, or `null`. */
function flawOf(dataDir: string): string | null {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK);
    return null;
  } catch (error) {
    return `the data folder cannot be written (${codeOf(error) ?? error}): check dataDir and who owns it`;
  }
}
