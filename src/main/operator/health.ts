import { join } from "node:path";
import { app, type BaseWindow, WebContentsView } from "electron";
import type { Logger } from "pino";
import type { Clock } from "../../player/clock.ts";
import type { Config } from "../../player/config/config.ts";
import { registerGauges } from "../../player/health/gauges.ts";
import { startHealth } from "../../player/health/health.ts";
import { type HealthReport, type RemoteReport, sumOf } from "../../player/health/health-report.ts";
import { metricSources, type ProcessMemory } from "../../player/health/metric-sources.ts";
import type { Metrics } from "../../player/health/metrics.ts";
import { readUpgrade } from "../../player/health/upgrade.ts";
import type { Player } from "../../player/player.ts";
import { dayIn } from "../../player/proofs/day-report.ts";
import { removeSmallFile, writeSmallFile } from "../../player/small-file.ts";
import type { FollowedDisplays } from "../displays/follow-displays.ts";
import type { FollowedPanels } from "../displays/follow-panels.ts";
import type { Recovery } from "../recovery/recovery.ts";
import type { StageWindow } from "../stage/stage-window.ts";

/** What the health pages tell of. */
export interface HealthSources {
  readonly config: Config;
  readonly player: Player;
  readonly metrics: Metrics;
  readonly stages: readonly StageWindow[];
  readonly displays: Pick<FollowedDisplays, "troubleOf">;
  readonly panels: Pick<FollowedPanels, "truthOf" | "troubleOf">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly restarts: number;
  readonly recovery: Recovery;
  readonly remote: () => RemoteReport;
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
  const { config, player, metrics, stages, panels, clock, log, restarts, recovery, remote } = sources;
  const { spotloop = "", electron = "", chromium = "", node = "" } = versions();
  metrics.build.set({ version: spotloop, electron, chromium, node }, 1);
  metrics.restarts.set(restarts);
  const subjects = {
    config,
    player,
    panels,
    clock,
    recovery: () => recovery.report(),
    remote,
    upgrade: readUpgrade,
    memory,
  };
  registerGauges(metrics, metricSources(subjects));
  if (config.health.port === null) return null;

  const screenshot = async (screenId: string | null) => {
    const stage = screenId === null ? stages[0] : stages.find((one) => one.screenId === screenId);
    // Chromium takes no picture of a hidden window, and may not say so.
    return stage?.window.isVisible() ? screenshotOf(stage.window) : null;
  };
  const health = await startHealth({ port: config.health.port, report: () => reportOn(sources), metrics, screenshot });
  if (health.kind === "unavailable") {
    log.error({ port: health.port, code: health.code }, "the health pages cannot be opened");
    return null;
  }
  const note = join(config.dataDir, "health.json");
  if (!writeSmallFile(note, { port: health.port, pid: process.pid }, READABLE_FOR_ALL)) {
    log.warn({ path: note }, "the port of the health pages cannot be noted: the disk takes nothing");
  }
  log.info({ port: health.port }, "health pages open");
  return {
    port: health.port,
    async close() {
      removeSmallFile(note);
      await health.close();
    },
  };
}

/** Whoever looks after the machine need not be the player's own user. */
const READABLE_FOR_ALL = 0o644;

function reportOn({
  config,
  player,
  displays,
  panels,
  clock,
  restarts,
  recovery,
  remote,
}: HealthSources): HealthReport {
  const { oldestDeadline, ...counts } = player.proofs.counts();
  const reading = player.serviceClock.read();
  const refused = player.proofs.lastRefused();
  return {
    ...sumOf(
      player.screens.map(({ screenId, health }) => {
        const { state, by } = panels.truthOf(screenId);
        const panel = { state, by: by.map(({ source, words }) => `${source} says ${words}`) };
        const displayTrouble = displays.troubleOf(screenId) ?? panels.troubleOf(screenId);
        return { screenId, ...health.report(), displayTrouble, panel };
      }),
    ),
    network: player.network,
    record: player.record,
    proofs: {
      ...counts,
      oldestDeadline: oldestDeadline === null ? null : new Date(oldestDeadline).toISOString(),
      lastRefused: refused === null ? null : { ...refused, at: new Date(refused.at).toISOString() },
    },
    today: player.proofs.report(dayIn(dayAt(reading.service ?? reading.wall), "UTC")).total,
    cache: { ...player.cache.size(), maxBytes: config.cache.maxBytes },
    data: player.data,
    versions: versions(),
    upgrade: readUpgrade(),
    restarts,
    recovery: recovery.report(),
    remote: remote(),
    clock: {
      wall: new Date(reading.wall).toISOString(),
      offsetMs: reading.service === null ? null : Math.round(reading.service - reading.wall),
      uncertaintyMs: reading.serviceWithinMs === null ? null : Math.ceil(reading.serviceWithinMs),
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

/** Chromium's kinds of processes, as operators are told of them. */
const KINDS: Readonly<Record<string, keyof ProcessMemory>> = {
  Browser: "main",
  Tab: "page",
  GPU: "gpu",
  Utility: "utility",
};

/** What the player's processes take, by kind. */
export function memory(): ProcessMemory {
  const sums: { -readonly [Kind in keyof ProcessMemory]: ProcessMemory[Kind] } = {};
  for (const {
    type,
    memory: { workingSetSize },
  } of app.getAppMetrics()) {
    const kind = KINDS[type] ?? "other";
    sums[kind] = (sums[kind] ?? 0) + workingSetSize * 1024;
  }
  return sums;
}

const QUALITY = 80;

/** What is on top of a window's stage, as a JPEG, or `null` while there is nothing. */
export async function screenshotOf(window: BaseWindow): Promise<Buffer | null> {
  const top = window.contentView.children.at(-1);
  if (!(top instanceof WebContentsView) || top.webContents.isDestroyed()) return null;
  const image = await top.webContents.capturePage();
  return image.isEmpty() ? null : image.toJPEG(QUALITY);
}
