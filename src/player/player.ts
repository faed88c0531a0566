import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import { type ExactGet, follow, USER_AGENT } from "../client/http.ts";
import { SpotClient } from "../client/spot-client.ts";
import { daySpanIn } from "../core/media/data-budget.ts";
import type { FinalVerdict } from "../core/proofs/proof.ts";
import type { DisplayEntry, RemoteEntry } from "../core/proofs/record.ts";
import type { Instant } from "../core/spot.ts";
import { type Clock, SHORTEST_SLEEP_MS } from "./clock.ts";
import type { Config } from "./config/config.ts";
import { changeInPlace, openWithRoom } from "./data-disk.ts";
import { ExclusiveLock } from "./exclusive-lock.ts";
import { type NetworkState, NetworkWatch, type RecordReport } from "./health/health-report.ts";
import type { Metrics } from "./health/metrics.ts";
import { CreativeBlocklist } from "./media/creative-blocklist.ts";
import type { MediaRequest } from "./media/download.ts";
import type { PageHeaders } from "./media/media.ts";
import { type CacheParts, MediaCache, mediaFolderIn } from "./media/media-cache.ts";
import { IndexFile, MediaIndex } from "./media/media-index.ts";
import { mediaIndexMigrations } from "./media/media-schema.ts";
import { AbsenceBook, PageLoadBook } from "./media/page-books.ts";
import { PageCache } from "./media/page-cache.ts";
import { DataBook, DataMeter, type DataMonth } from "./network/data-meter.ts";
import { DeferredBook, downloadDeferred } from "./network/deferred-media.ts";
import {
  type EgressPolicy,
  egressPolicy,
  limitedBy,
  mayFollow,
  type Resolve,
  resolveBy,
} from "./network/egress-policy.ts";
import { meteredLine, Throttle } from "./network/media-line.ts";
import { pageGetBy } from "./network/page-get.ts";
import { BALLAST_BYTES, Ballast } from "./proofs/ballast.ts";
import { Courier } from "./proofs/courier.ts";
import { ProofFile } from "./proofs/proof-file.ts";
import { DeliveryStats, ProofRecorder } from "./proofs/proof-recorder.ts";
import type { OwedProof } from "./proofs/proof-records.ts";
import { ProofStore } from "./proofs/proof-store.ts";
import { Checkpoints, openWitness } from "./record/checkpoints.ts";
import { RecordDesk, RecordStore } from "./record/record-store.ts";
import { playerVersion } from "./run-identity.ts";
import { type PlayingScreen, playScreen, type View } from "./screen/playing-screen.ts";
import { openScreenHours } from "./screen/screen-hours.ts";
import type { Stage } from "./screen/stage.ts";
import { ServiceClock } from "./service-clock.ts";

/** What a player is made of; tests hand in a clock and a network of their own. */
export interface PlayerParts {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly fetch: typeof globalThis.fetch;
  /** The same for URLs that `fetch` would write otherwise; by default straight to the host. */
  readonly exactGet?: ExactGet;
  /** What media is fetched with, which must not go everywhere; by default the same. */
  readonly openMediaFetch?: (policy: EgressPolicy) => typeof globalThis.fetch;
  /** Who asks for media, and in which language, in the headers of each request; by default no browser. */
  readonly browser?: PageHeaders;
  /** What addresses a name has; by default the system's answer. */
  readonly resolve?: Resolve;
  /** Chance in [0, 1), for jitter only. */
  readonly random: () => number;
  /** The wait before a spot request's second try, in milliseconds; by default the client's own. */
  readonly spotRetryMs?: number;
  /** The same for a download. */
  readonly downloadRetryMs?: number;
  /** How much of the disk is kept aside for proofs; `BALLAST_BYTES` by default. */
  readonly ballastBytes?: number;
}

/** A running player: what its screens have in common, and the way to end it. */
export interface Player {
  readonly cache: MediaCache;
  readonly proofs: ProofStore;
  readonly serviceClock: ServiceClock;
  /** How the playout record is. */
  readonly record: RecordReport;
  /** What requests for spots last met. */
  readonly network: NetworkState;
  /** What media took of the line in this month. */
  readonly data: DataMonth;
  /** Creatives that are not played for now, since they failed again and again. */
  readonly blocklisted: number;
  /** When the service last took a proof of each screen, by its id, monotonic; only what was taken in this run. */
  readonly provedAt: ReadonlyMap<string, Instant>;
  /** The screens of which the service took a proof of what this run showed, not of what an earlier one owed. */
  readonly ownProved: ReadonlySet<string>;
  /** How long each page took to load. */
  readonly pageLoads: PageLoadBook;
  /** Those that play, in the order in which they began. */
  readonly screens: readonly PlayingScreen[];
  /** Begins to play one screen of the configuration on its stage, until the player is stopped. Once for each. */
  play(screenId: string, stage: Stage, view?: View): PlayingScreen;
  /** Puts a command that came from afar, or a display that does not obey, into the playout record, where the disk allows. */
  note(entry: RemoteEntry | DisplayEntry): void;
  /** Opens the cache to one HTML creative, for as long as it is on a deck. */
  openPage(document: MediaRequest): PageCache;
  /**
   * Tells that the machine is about to sleep, or has slept: what is on air fails as hidden, since nobody saw it in full
   * (G2), and proofs that are due go out. The clock may have missed a little of the sleep.
   */
  interrupt(): void;
  /** Ends the loops at once, lets proofs under way end within their time limit, and closes the stores. */
  stop(): Promise<void>;
}

/** Opens the stores and starts the courier. Throws `StoreUnusable` where a store cannot be opened. */
export async function startPlayer(parts: PlayerParts): Promise<Player> {
  const { config, clock, log, metrics, random } = parts;
  const control = new AbortController();
  const serviceClock = new ServiceClock(clock);
  const resolve = parts.resolve ?? resolveBy(config.network.uplink, new URL(config.baseUrl).hostname);
  const policy = egressPolicy(config, resolve);
  const client = new SpotClient({
    baseUrl: config.baseUrl,
    orgToken: config.orgToken,
    fetch: parts.fetch,
    ...(parts.exactGet === undefined ? {} : { exactGet: parts.exactGet }),
    mayFollow: (pop, to) => mayFollow(pop, to, policy, resolve),
    spotTimeoutMs: config.spot.timeoutSeconds * 1000,
    proofTimeoutMs: config.proof.timeoutSeconds * 1000,
    ...(parts.spotRetryMs === undefined ? {} : { spotRetryMs: parts.spotRetryMs }),
    now: () => clock.now(),
    onTime: (time, span) => serviceClock.hear(time, span),
  });
  const network = new NetworkWatch(log);

  const ballast = new Ballast(join(config.dataDir, "ballast"), parts.ballastBytes ?? BALLAST_BYTES);
  await changeInPlace(config.dataDir, log);
  const inRoom = <T>(open: () => T) => openWithRoom(open, config.dataDir, ballast, log);
  const onDiskFull = [() => ballast.free()];
  const proofFile = await inRoom(() =>
    ProofFile.open({ path: join(config.dataDir, "proofs.db"), log, onDiskFull, flushesInThread: true }),
  );
  const runId = randomUUID();
  const proofs = new ProofStore(proofFile, runId);
  const index = await inRoom(() => new IndexFile(join(config.dataDir, "media.db"), mediaIndexMigrations, log));
  const blocklist = new CreativeBlocklist(index);
  const absences = new AbsenceBook(index);
  const { monthlyBytes, maxBitsPerSecond, largeDownloadHours } = config.network;
  const data = new DataMeter({
    book: new DataBook(index),
    limits: { monthlyBytes, largeHours: largeDownloadHours === null ? null : daySpanIn(largeDownloadHours) },
    clocks: () => serviceClock.read(),
    log,
  });
  const line = meteredLine(data, maxBitsPerSecond === null ? null : new Throttle(maxBitsPerSecond, clock));
  const deferredBook = new DeferredBook(index);
  const cache = await openCache(parts, {
    ...{ index: new MediaIndex(index), blocklist, line },
    onDeferred: (request) => deferredBook.note(request, clock.wall()),
    policy,
  });
  if (largeDownloadHours !== null) {
    downloadDeferred({ book: deferredBook, cache, line, clock, log, signal: control.signal });
  }
  // Media can be fetched again, so it goes first.
  onDiskFull.unshift(() => cache.evictNow(EVICTED_WHEN_FULL_BYTES));
  ballast.keepPresent(clock, control.signal);
  const provedAt = new Map<string, Instant>();
  const ownProved = new Set<string>();
  const courier = new Courier({
    store: proofs,
    lock: new ExclusiveLock(join(config.dataDir, "sender.lock")),
    clock,
    serviceClock,
    send: (pop, signal) => client.sendProof(pop, signal),
    random,
    log,
    onSettled(proof, verdict) {
      if (verdict.kind === "delivered") {
        provedAt.set(proof.screenId, clock.now());
        if (proof.runId === runId) ownProved.add(proof.screenId);
      }
      noteProof(metrics, clock, proof, verdict);
    },
  });
  const stats = new DeliveryStats({ store: proofs, clock, serviceClock });
  const record = new RecordStore(proofFile);
  const records = new RecordDesk({ store: record, clock, serviceClock, log });
  const recorder = new ProofRecorder({
    ...{ store: proofs, clock, serviceClock, log, stats, records },
    onOwed: () => courier.notify(),
  });
  courier.start();
  const witness = openWitness({ ...parts, store: record });
  const checkpoints = new Checkpoints({
    ...{ store: record, dataDir: config.dataDir, limits: config.record, clock, serviceClock, log },
    onSigned: () => witness?.notify(),
  });
  checkpoints.start();

  const shared = {
    ...{ config, clock, log, metrics, random, client, cache, blocklist, stats, recorder, records },
    ...{ version: playerVersion(), signal: control.signal },
  };
  const screens: PlayingScreen[] = [];
  return {
    cache,
    proofs,
    serviceClock,
    get record() {
      const { rows, signedAt } = record.extent();
      const signed = signedAt === null ? null : new Date(signedAt).toISOString();
      return { rows, unwritten: records.unwritten + recorder.waiting, signedAt: signed, trouble: checkpoints.trouble };
    },
    get network() {
      return network.state;
    },
    get data() {
      return data.month();
    },
    get blocklisted() {
      return blocklist.blockedCount(clock.wall());
    },
    provedAt,
    ownProved,
    pageLoads: new PageLoadBook(index, clock),
    screens,
    play(screenId, stage, { hiddenReasons = [], suspendReasons = [], onTitle, onSettled } = {}) {
      const hours = openScreenHours({ ...parts, screenId, serviceClock, signal: control.signal, onTitle });
      const screen = playScreen({
        ...shared,
        ...{ screenId, stage, hours, hiddenReasons, suspendReasons },
        onAsked: () => network.note(client.meetsPortal),
        tellingAt: () => serviceClock.tellingAt(),
        onSettled: (playout, outcome) => onSettled?.(playout, outcome),
      });
      screens.push(screen);
      return screen;
    },
    note: (entry) => records.note(entry),
    openPage: (document) =>
      new PageCache({
        ...{ document, cache, absences, clock, policy, limits: config.creatives, signal: control.signal },
        onMiss: () => metrics.pageMisses.inc(),
        onAbsent: (part) =>
          log.warn({ page: document.url, part }, "the page is shown without this from the next time on"),
        onLimit: (limit) => log.warn({ page: document.url, limit }, "the page gets nothing beyond this"),
      }),
    interrupt() {
      serviceClock.loosen(SHORTEST_SLEEP_MS);
      for (const { loop } of screens) {
        const { slot } = loop.state();
        if (slot !== null) loop.dispatch({ kind: "deck-failed", playout: slot.playout.id, reason: "hidden" });
      }
      courier.notify();
    },
    async stop() {
      control.abort();
      recorder.close();
      records.close();
      await courier.stop(AbortSignal.timeout(STOP_WITHIN_MS));
      await cache.quiet();
      stats.close();
      await checkpoints.stop();
      await witness?.stop();
      proofs.close();
      index.close();
    },
  };
}

/** Bytes freed on a full disk for a proof: its own few pages, and those of many to come. */
const EVICTED_WHEN_FULL_BYTES = 4 * 1024 * 1024;

/** A player that is asked to stop gives proofs under way this long; what is cut off is sent by the next run. */
const STOP_WITHIN_MS = 3_000;

/** What the media cache is made of, beside what the player is. */
interface MediaParts extends Pick<CacheParts, "index" | "blocklist" | "line" | "onDeferred"> {
  readonly policy: EgressPolicy;
}

function openCache(parts: PlayerParts, { policy, ...media }: MediaParts): Promise<MediaCache> {
  const { config, clock, metrics, browser = USER_AGENT } = parts;
  const mediaFetch = parts.openMediaFetch?.(policy) ?? parts.fetch;
  const get = limitedBy(policy, pageGetBy(mediaFetch));
  return MediaCache.open({
    folder: mediaFolderIn(config.dataDir),
    ...media,
    clock,
    limits: config.cache,
    ...(parts.downloadRetryMs === undefined ? {} : { retryMs: parts.downloadRetryMs }),
    fetch: (url, signal, headers, body) => follow(get, url, signal, { ...browser, ...headers }, body),
    onDownloaded: (sizeBytes) => metrics.downloadedBytes.inc(sizeBytes),
  });
}

function noteProof(metrics: Metrics, clock: Clock, { shownAt }: OwedProof, { kind }: FinalVerdict): void {
  metrics.proofsSettled.inc({ outcome: kind });
  // One from before the last boot has no place on this boot's clock.
  if (kind === "delivered" && shownAt !== null) metrics.proofDelay.observe((clock.now() - shownAt) / 1000);
}
