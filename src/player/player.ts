import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import { follow } from "../client/follow.ts";
import { Service } from "../client/service.ts";
import type { Playout, PlayoutOutcome } from "../core/playout.ts";
import type { FinalVerdict } from "../core/proof.ts";
import type { Clock } from "./clock.ts";
import type { Config } from "./config/config.ts";
import { ExclusiveLock } from "./exclusive-lock.ts";
import type { Metrics } from "./health/metrics.ts";
import type { Wanted } from "./media/download.ts";
import { IndexFile } from "./media/index-file.ts";
import { MediaCache } from "./media/media-cache.ts";
import { MediaIndex, mediaIndexMigrations } from "./media/media-index.ts";
import { PageCache } from "./media/page-cache.ts";
import { confinedTo, type ReachPolicy, reachPolicy } from "./media/reach.ts";
import { StrikeBook } from "./media/strike-book.ts";
import { BALLAST_BYTES, Ballast } from "./proofs/ballast.ts";
import { Courier } from "./proofs/courier.ts";
import { ProofDesk } from "./proofs/proof-desk.ts";
import { ProofFile } from "./proofs/proof-file.ts";
import type { OwedProof } from "./proofs/proof-records.ts";
import { ProofStore } from "./proofs/proof-store.ts";
import { TallyBook } from "./proofs/tally-book.ts";
import { type PlayingScreen, playScreen } from "./screen/playing-screen.ts";
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
  /** What media is fetched with, which must not go everywhere; the same unless told otherwise. */
  readonly openMediaFetch?: (policy: ReachPolicy) => typeof globalThis.fetch;
  /** Chance in [0, 1), for jitter only. */
  readonly dice: () => number;
  /** The wait before a spot request's second try, in milliseconds; the client's own unless told otherwise. */
  readonly spotRetryMs?: number;
  /** The same for a download. */
  readonly downloadRetryMs?: number;
  /** How much of the disk is kept aside for proofs; `BALLAST_BYTES` unless told otherwise. */
  readonly ballastBytes?: number;
}

/** What is known of a stage, and wanted for it. */
export interface View {
  /** Whether it can be seen by now; it can unless told otherwise. */
  readonly seen?: boolean;
  /** Hears the screen's display name as often as it was read, and at once where it is known from before. */
  readonly onTitle?: (title: string) => void;
  /** Hears the end of each playout, after its proof was owed. */
  readonly onSettled?: (playout: Playout, outcome: PlayoutOutcome) => void;
}

/** A running player: what its screens have in common, and the way to end it. */
export interface Player {
  readonly cache: MediaCache;
  readonly proofs: ProofStore;
  readonly serviceClock: ServiceClock;
  /** Those that play, in the order in which they began. */
  readonly screens: readonly PlayingScreen[];
  /** Begins to play one screen of the configuration on its stage, until the player is stopped. Once for each. */
  play(screenId: string, stage: Stage, view?: View): PlayingScreen;
  /** Opens the cache to one HTML creative, for as long as it is on a deck. */
  openPage(document: Wanted): PageCache;
  /** Ends the loops at once, lets proofs under way end within their time limit, and closes the stores. */
  stop(): Promise<void>;
}

/** Opens the stores and starts the courier. Throws `StoreUnusable` where a store cannot be opened. */
export async function startPlayer(parts: PlayerParts): Promise<Player> {
  const { config, clock, log, metrics, dice } = parts;
  const control = new AbortController();
  const serviceClock = new ServiceClock(clock);
  const service = new Service({
    baseUrl: config.baseUrl,
    orgToken: config.orgToken,
    fetch: parts.fetch,
    spotTimeoutMs: config.spot.timeoutSeconds * 1000,
    proofTimeoutMs: config.proof.timeoutSeconds * 1000,
    ...(parts.spotRetryMs === undefined ? {} : { spotRetryMs: parts.spotRetryMs }),
  });
  const policy = reachPolicy(config);

  const ballast = new Ballast(join(config.dataDir, "ballast"), parts.ballastBytes ?? BALLAST_BYTES);
  const reliefs = [() => ballast.free()];
  const proofFile = ProofFile.open({ path: join(config.dataDir, "proofs.db"), log, reliefs });
  const proofs = new ProofStore(proofFile, randomUUID());
  const index = new IndexFile(join(config.dataDir, "media.db"), mediaIndexMigrations, log);
  const strikes = new StrikeBook(index);
  const cache = await openCache(parts, new MediaIndex(index), strikes, policy);
  // Media can be fetched again, so it goes first.
  reliefs.unshift(() => cache.sacrifice(RELIEF_BYTES));
  ballast.keepLaid(clock, control.signal);
  const courier = new Courier({
    store: proofs,
    lock: new ExclusiveLock(join(config.dataDir, "sender.lock")),
    clock,
    serviceClock,
    send: (pop, signal) => service.sendProof(pop, signal),
    dice,
    log,
    onSettled: (proof, verdict) => noteProof(metrics, clock, proof, verdict),
  });
  const tallies = new TallyBook({ store: proofs, clock, serviceClock });
  const desk = new ProofDesk({ store: proofs, clock, serviceClock, log, tallies, onOwed: () => courier.notify() });
  courier.start();

  const shared = { config, clock, log, metrics, dice, service, cache, strikes, tallies, desk, signal: control.signal };
  const screens: PlayingScreen[] = [];
  return {
    cache,
    proofs,
    serviceClock,
    screens,
    play(screenId, stage, { seen = true, onTitle, onSettled } = {}) {
      const hours = openScreenHours({ ...parts, screenId, serviceClock, signal: control.signal, onTitle });
      const screen = playScreen({
        ...shared,
        ...{ screenId, stage, seen, hours },
        onAsked(outcome) {
          if (outcome.answered) serviceClock.hear(outcome.serviceTime);
          courier.notify();
        },
        onSettled: (playout, outcome) => onSettled?.(playout, outcome),
      });
      screens.push(screen);
      return screen;
    },
    openPage: (document) =>
      new PageCache({
        ...{ document, cache, policy, limits: config.creatives, signal: control.signal },
        onMiss: () => metrics.pageMisses.inc(),
      }),
    async stop() {
      control.abort();
      desk.close();
      await courier.stop(AbortSignal.timeout(STOP_WITHIN_MS));
      await cache.quiet();
      tallies.close();
      proofs.close();
      index.close();
    },
  };
}

/** A full disk gets so much free for a proof: its own few pages, and those of many to come. */
const RELIEF_BYTES = 4 * 1024 * 1024;

/** A player that is asked to stop gives proofs under way this long; what is cut off is sent by the next run. */
const STOP_WITHIN_MS = 3_000;

function openCache(
  parts: PlayerParts,
  index: MediaIndex,
  strikes: StrikeBook,
  policy: ReachPolicy,
): Promise<MediaCache> {
  const { config, clock, metrics } = parts;
  const mediaFetch = parts.openMediaFetch?.(policy) ?? parts.fetch;
  const get = confinedTo(policy, (url, signal, headers) =>
    mediaFetch(url, { redirect: "manual", signal, ...(headers === undefined ? {} : { headers }) }),
  );
  return MediaCache.open({
    folder: join(config.dataDir, "media", "v1"),
    index,
    strikes,
    clock,
    limits: config.cache,
    ...(parts.downloadRetryMs === undefined ? {} : { retryMs: parts.downloadRetryMs }),
    fetch: (url, signal, headers) => follow(get, url, signal, headers),
    onDownloaded: (sizeBytes) => metrics.downloadedBytes.inc(sizeBytes),
  });
}

function noteProof(metrics: Metrics, clock: Clock, { shownAt }: OwedProof, { kind }: FinalVerdict): void {
  metrics.proofsSettled.inc({ outcome: kind });
  // One from before the last boot has no place on this boot's clock.
  if (kind === "delivered" && shownAt !== null) metrics.proofDelay.observe((clock.now() - shownAt) / 1000);
}
