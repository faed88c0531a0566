import { readdir, readFile, statfs } from "node:fs/promises";
import { join } from "node:path";
import type { DisplayTruth, PanelState } from "../../core/displays/panel.ts";
import type { DisplayState } from "../../core/proofs/record.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { DataMonth } from "../network/data-meter.ts";
import type { Player } from "../player.ts";
import type { ProofCounts } from "../proofs/proof-records.ts";
import type { PlayingScreen } from "../screen/playing-screen.ts";
import type { AdsOutlook } from "../screen/screen-hours.ts";
import type { NetworkState, RecordReport, RecoveryReport, RemoteReport } from "./health-report.ts";
import type { ScreenState, ServiceState } from "./health-watch.ts";
import type { Upgrade } from "./upgrade.ts";

/** What the gauges are read from at each scrape. Instants are epoch milliseconds, by the service's clock where it is known. */
export interface MetricSources {
  /** When this run of the player began, by the machine's own clock at that time. */
  readonly startedAt: Instant;
  screens(): readonly ScreenVitals[];
  proofs(): ProofCounts;
  record(): RecordReport;
  cache(): CacheVitals;
  data(): DataMonth;
  clock(): ClockVitals;
  recovery(): RecoveryReport;
  remote(): RemoteReport;
  /** Creatives that are not played for now. */
  blocklisted(): number;
  disk(): Promise<DiskVitals>;
  /** Null where no upgrade was watched over. */
  upgrade(): Upgrade | null;
  memory(): ProcessMemory;
}

/** How one screen is. */
export interface ScreenVitals {
  readonly screenId: string;
  readonly state: ScreenState;
  readonly display: DisplayState;
  readonly panel: PanelState;
  /** Whether its display is on, or off, against what it was switched to. */
  readonly isPanelFailing: boolean;
  readonly ads: AdsOutlook;
  readonly service: ServiceState | Exclude<NetworkState, "ok">;
  /** As `/health` says it. */
  readonly isFailing: boolean;
  readonly shownAt: Instant | null;
  readonly provedAt: Instant | null;
}

/** `reserveBytes` is what the cache leaves free on the disk. */
export interface CacheVitals {
  readonly files: number;
  readonly bytes: number;
  readonly maxBytes: number;
  readonly reserveBytes: number;
}

export interface ClockVitals {
  readonly now: Instant;
  /** How far the service's clock is ahead of this machine's, and how exactly that is known. */
  readonly offsetMs: number | null;
  readonly uncertaintyMs: number | null;
}

/** Bytes by kind of process, of those that there are. */
export type ProcessMemory = Readonly<Partial<Record<"main" | "page" | "gpu" | "utility" | "other", number>>>;

/** The player that the metrics tell of, and what only its root knows. */
export interface MetricSubjects {
  readonly config: Pick<Config, "dataDir" | "cache">;
  readonly player: Player;
  /** What is known of the display of a screen, and why it is not switched as it is to be. */
  readonly panels: {
    truthOf(screenId: string): DisplayTruth;
    troubleOf(screenId: string): string | null;
  };
  readonly clock: Clock;
  readonly recovery: () => RecoveryReport;
  readonly remote: () => RemoteReport;
  readonly upgrade: () => Upgrade | null;
  readonly memory: () => ProcessMemory;
}

/** What costs a query of many rows, a look at the disk or a calendar is read no more often than this. */
const COSTLY_EVERY_MS = 60_000;

/** The sources for a player that runs. */
export function metricSources({
  config,
  player,
  panels,
  clock,
  recovery,
  remote,
  upgrade,
  memory,
}: MetricSubjects): MetricSources {
  const costly = <T>(read: () => T) => atMostEvery(COSTLY_EVERY_MS, clock, read);
  const size = costly(() => player.cache.size());
  const outlooks = costly(() => new Map(player.screens.map(({ screenId, hours }) => [screenId, hours.ads()])));
  const { maxBytes, minFreeBytes } = config.cache;
  return {
    startedAt: clock.wall(),
    screens: () => player.screens.map((screen) => vitalsOf(screen, player, panels, outlooks().get(screen.screenId))),
    proofs: () => player.proofs.counts(),
    record: () => player.record,
    cache: () => ({ ...size(), maxBytes, reserveBytes: minFreeBytes }),
    data: () => player.data,
    clock() {
      const { service, wall, serviceWithinMs } = player.serviceClock.read();
      const offsetMs = service === null ? null : service - wall;
      return { now: service ?? wall, offsetMs, uncertaintyMs: serviceWithinMs };
    },
    recovery,
    remote,
    blocklisted: costly(() => player.blocklisted),
    disk: costly(() => diskVitals(config.dataDir)),
    upgrade,
    memory,
  };
}

function vitalsOf(
  screen: PlayingScreen,
  player: Player,
  panels: MetricSubjects["panels"],
  ads: AdsOutlook | undefined,
): ScreenVitals {
  const { screenId, health, sightings, hours } = screen;
  const { service, wall, now } = player.serviceClock.read();
  const dated = (at: Instant | undefined | null) => (at == null ? null : at - now + (service ?? wall));
  return {
    screenId,
    state: health.state,
    display: sightings.display,
    panel: panels.truthOf(screenId).state,
    isPanelFailing: panels.troubleOf(screenId) !== null,
    // A screen that began within the minute is not among those that were read.
    ads: ads ?? hours.ads(),
    service: player.network === "portal" ? "portal" : health.service,
    isFailing: health.report().status === "failing",
    shownAt: dated(health.shownAt),
    provedAt: dated(player.provedAt.get(screenId)),
  };
}

function atMostEvery<T>(everyMs: number, clock: Clock, read: () => T): () => T {
  let last: { readonly at: Instant; readonly value: T } | null = null;
  return () => {
    const now = clock.now();
    if (last === null || now - last.at >= everyMs) last = { at: now, value: read() };
    return last.value;
  };
}

/** What is known of the disk that the data folder is on; null is what cannot be read, and never a guess. */
interface DiskVitals {
  /** Of its file system, for those who are not root. */
  readonly freeBytes: number | null;
  readonly sizeBytes: number | null;
  /** The share of its life that the most worn eMMC of the machine has used, up to this; more than 1 is past its end. */
  readonly wornRatio: number | null;
}

/** Reads a few small files, and asks the system for one figure of its own. */
export async function diskVitals(folder: string, devices = "/sys/block"): Promise<DiskVitals> {
  const room = await statfs(folder).catch(() => null);
  return {
    freeBytes: room === null ? null : room.bavail * room.bsize,
    sizeBytes: room === null ? null : room.blocks * room.bsize,
    wornRatio: await wornRatio(devices),
  };
}

async function wornRatio(devices: string): Promise<number | null> {
  const names = await readdir(devices).catch(() => []);
  const texts = await Promise.all(
    names.map((name) => readFile(join(devices, name, "device", "life_time"), "utf8").catch(() => "")),
  );
  const tenths = texts.flatMap((text) => text.trim().split(/\s+/).map(Number)).filter(isEstimate);
  return tenths.length === 0 ? null : Math.max(...tenths) / 10;
}

/**
 * JEDEC JESD84-B51, DEVICE_LIFE_TIME_EST_TYP_A and _B: 1 for up to a tenth of the estimated life, 11 for all of it and
 * more; 0 is not defined, and the rest reserved.
 */
function isEstimate(tenths: number): boolean {
  return Number.isInteger(tenths) && tenths >= 1 && tenths <= 11;
}
