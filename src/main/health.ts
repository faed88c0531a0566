import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { app } from "electron";
import type { Logger } from "pino";
import type { Clock } from "../player/clock.ts";
import type { Config } from "../player/config/config.ts";
import { startHealth } from "../player/health/health.ts";
import { type HealthReport, sumOf } from "../player/health/health-report.ts";
import type { Metrics } from "../player/health/metrics.ts";
import type { Player } from "../player/player.ts";
import { dayIn } from "../player/proofs/day-report.ts";
import type { RaisedStage } from "./raise-stage.ts";
import type { Recovery } from "./recovery/recovery.ts";
import { screenshotOf } from "./screenshot.ts";

/** What the health pages tell of. */
export interface HealthSources {
  readonly config: Config;
  readonly player: Player;
  readonly metrics: Metrics;
  readonly stages: readonly RaisedStage[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly restarts: number;
  readonly recovery: Recovery;
}

/** The health pages while they are open. */
export interface OpenHealth {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Opens the health pages on their configured port and notes it in `dataDir/health.json`, for those who cannot know a
 * free one; `null` where there are none.
 */
export async function openHealth(sources: HealthSources): Promise<OpenHealth | null> {
  const { config, player, metrics, stages, log, restarts } = sources;
  const { spotloop = "", electron = "", chromium = "", node = "" } = versions();
  metrics.build.set({ version: spotloop, electron, chromium, node }, 1);
  metrics.restarts.set(restarts);
  metrics.readFrom({ proofs: () => player.proofs.counts(), cache: () => player.cache.size() });
  if (config.health.port === null) return null;

  const screenshot = async (screenId: string | null) => {
    const stage = screenId === null ? stages[0] : stages.find((one) => one.screenId === screenId);
    // Of a window that is out of sight Chromium takes no picture, and may not say so.
    return stage?.window.isVisible() ? screenshotOf(stage.window) : null;
  };
  const health = await startHealth({ port: config.health.port, report: () => reportOn(sources), metrics, screenshot });
  if (health.kind === "unavailable") {
    log.error({ port: health.port, code: health.code }, "the health pages cannot be opened");
    return null;
  }
  const note = join(config.dataDir, "health.json");
  writeFileSync(note, JSON.stringify({ port: health.port, pid: process.pid }));
  log.info({ port: health.port }, "health pages open");
  return {
    port: health.port,
    async close() {
      rmSync(note, { force: true });
      await health.close();
    },
  };
}

function reportOn({ config, player, clock, restarts, recovery }: HealthSources): HealthReport {
  const { oldestDeadline, ...counts } = player.proofs.counts();
  const moment = player.serviceClock.moment();
  return {
    ...sumOf(player.screens.map(({ screenId, health }) => ({ screenId, ...health.report() }))),
    proofs: { ...counts, oldestDeadline: oldestDeadline === null ? null : new Date(oldestDeadline).toISOString() },
    today: player.proofs.report(dayIn(dayAt(moment.service ?? moment.wall), "UTC")).total,
    cache: { ...player.cache.size(), maxBytes: config.cache.maxBytes },
    versions: versions(),
    restarts,
    recovery: recovery.report(),
    clock: {
      wall: new Date(moment.wall).toISOString(),
      offsetMs: moment.service === null ? null : Math.round(moment.service - moment.wall),
      bootId: clock.bootId,
    },
  };
}

function dayAt(wall: number): string {
  return new Date(wall).toISOString().slice(0, 10);
}

function versions(): Record<string, string> {
  const { electron = "", chrome = "", node = "" } = process.versions;
  return { spotloop: app.getVersion(), electron, chromium: chrome, node };
}
