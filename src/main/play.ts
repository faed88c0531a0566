import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import { app } from "electron";
import type { StartPlan } from "../core/recovery.ts";
import type { Clock } from "../player/clock.ts";
import type { GoodConfig } from "../player/config/config.ts";
import { codeOf } from "../player/database.ts";
import { ExclusiveLock } from "../player/exclusive-lock.ts";
import { raiseStages } from "./raise-stage.ts";
import { Recovery } from "./recovery/recovery.ts";
import { redrawAfterGpuLoss } from "./recovery/redraw.ts";
import { watchChromium } from "./recovery/triggers.ts";
import { feedWatchdog } from "./recovery/watchdog.ts";

/**
 * Plays by a configuration until the process is asked to stop. Stages are raised first: while Chromium makes their
 * windows and processes, the rest of the player is loaded.
 */
export async function play(good: GoodConfig, clock: Clock, plan: StartPlan): Promise<void> {
  const { dataDir } = good.config;
  const flaw = flawOf(dataDir);
  const lock = new ExclusiveLock(join(dataDir, "player.lock"));
  const alone = flaw !== null || lock.take();
  // Chromium's own files lie there too. Its own lock is not asked for: one that a power cut left behind would fail it.
  if (flaw === null && alone) app.setPath("userData", join(dataDir, "chromium"));
  const recovery = alone ? new Recovery(dataDir, plan, clock, (code) => app.exit(code)) : null;
  if (recovery !== null) watchChromium(recovery);
  feedWatchdog(process.env);
  await app.whenReady();
  const raised = alone ? raiseStages(good.config) : null;
  if (raised !== null) redrawAfterGpuLoss(raised);
  const { run } = await import("./run.ts");
  await run({ good, clock, lock, raised, flaw, recovery });
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
