import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { app, powerSaveBlocker } from "electron";
import type { Logger } from "pino";
import type { Clock } from "../player/clock.ts";
import type { Config, GoodConfig } from "../player/config/config.ts";
import { codeOf } from "../player/database.ts";
import { type DeferredStage, deferStage } from "../player/deferred-stage.ts";
import { ExclusiveLock } from "../player/exclusive-lock.ts";
import { openLog } from "../player/log.ts";
import { createMetrics, type Metrics } from "../player/metrics.ts";
import { type Player, startPlayer } from "../player/player.ts";
import { countStart } from "../player/starts.ts";
import { StoreUnusable } from "../player/store-opening.ts";
import { EXIT } from "./exit-codes.ts";
import { openHealth } from "./health.ts";
import { raiseStage } from "./raise-stage.ts";
import { Shutdown } from "./shutdown.ts";

/** A player that cannot open its stores shows the slate and asks to be started again after this long. */
const STORES_AGAIN_MS = 60_000;

/** How often a player that waits for another to end looks whether it has. */
const LOCK_AGAIN_MS = 2_000;

/** Plays by a configuration until the process is asked to stop. */
export async function play({ config, path, warnings }: GoodConfig, clock: Clock): Promise<void> {
  const flaw = flawOf(config.dataDir);
  const log = await openLog({ ...config.log, secrets: [config.orgToken], echo: process.stderr });
  const shutdown = new Shutdown(log.logger);
  shutdown.add("log", () => log.close());
  const lock = new ExclusiveLock(join(config.dataDir, "player.lock"));
  if (flaw === null && !lock.take()) {
    log.logger.error({ dataDir: config.dataDir }, "another player runs with this data folder: waiting for it to end");
    await untilTaken(lock);
    return shutdown.end(EXIT.restart);
  }
  // Held on to for as long as the process lives: what nobody refers to is closed.
  shutdown.add("lock", async () => lock.release());
  // Chromium's own files lie there too. Its own lock is not asked for: one that a power cut left behind would fail it.
  app.setPath("userData", join(config.dataDir, "chromium"));
  log.logger.info({ config: path, screen: config.screenId, version: app.getVersion() }, "player started");
  for (const warning of [...warnings, ...notYet(config)]) log.logger.warn(warning);

  const metrics = createMetrics();
  const stage = deferStage();
  // The first spot is on its way while the window is still being made.
  const starting = flaw === null ? start(config, clock, log.logger, metrics, stage) : Promise.resolve(null);
  await app.whenReady();
  powerSaveBlocker.start("prevent-display-sleep");
  let player: Player | null = null;
  const raising = raise(config, clock, log.logger, () => player);
  player = await starting;
  const { window, stage: raised } = await raising;
  stage.open(raised);
  if (player === null) {
    if (flaw !== null) log.logger.error({ dataDir: config.dataDir }, flaw);
    setTimeout(() => void shutdown.end(EXIT.restart), STORES_AGAIN_MS);
    return;
  }
  const playing = player;
  shutdown.add("player", () => playing.stop());
  const restarts = countStart(join(config.dataDir, "starts.json"), clock.bootId) - 1;
  shutdown.add("health", await openHealth({ config, player, metrics, window, clock, log: log.logger, restarts }));
}

/** Settings that are accepted and do nothing so far: whoever sets one is told. */
function notYet({ house, openingHours }: Config): string[] {
  return [
    ...(house.dir === null ? [] : ["house.dir has no effect yet: the packaged slate is shown"]),
    ...(openingHours.respect ? ["openingHours.respect has no effect yet: the screen plays at all hours"] : []),
  ];
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

/**
 * A second player on a folder neither shows nor sends anything. It waits, rather than to be started again and again by
 * its supervisor, and is there within seconds when the first one ends: then it asks for a start of its own.
 */
async function untilTaken(lock: ExclusiveLock): Promise<void> {
  while (!lock.take()) await sleep(LOCK_AGAIN_MS);
}

/** Starts the player, or says why its stores cannot be used. */
async function start(
  config: Config,
  clock: Clock,
  log: Logger,
  metrics: Metrics,
  stage: DeferredStage,
): Promise<Player | null> {
  try {
    return await startPlayer({ config, clock, log, metrics, fetch, stage, dice: Math.random });
  } catch (error) {
    if (!(error instanceof StoreUnusable)) throw error;
    log.error(error.message);
    return null;
  }
}

/** Raises the stage, which asks for the player only when it is told to play something, by it. */
function raise(config: Config, clock: Clock, log: Logger, player: () => Player | null): ReturnType<typeof raiseStage> {
  return raiseStage({
    clock,
    display: config.display,
    muted: config.audio.muted,
    openPage(document) {
      const playing = player();
      if (playing === null) throw new Error("a page without a player");
      return playing.openPage(document);
    },
    report: (event) => player()?.loop.dispatch(event),
    onTrouble: (playout, reason, detail) => log.warn({ playout: playout.id, reason, detail }, "deck failed"),
  });
}
