import type { Logger } from "pino";
import { toldTime } from "../../client/reply.ts";
import type { LoopEvent } from "../../core/loop/loop.ts";
import type { SuspendReason } from "../../core/loop/state.ts";
import { isOpen, nextChange, type Opening } from "../../core/opening-hours.ts";
import type { Instant } from "../../core/spot.ts";
import { type Clock, Timer } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { ServiceClock } from "../service-clock.ts";
import { type Inventory, type ScreenFacts, ScreenWatch, screenFile } from "./screen-watch.ts";

/**
 * Whether a screen can have ads: `withheld` where it is to have news alone, `unapproved` and `archived` where it gets no
 * spots, `closed` where it would be `possible` or `withheld` at another hour.
 */
export type AdsState = NonNullable<ScreenFacts["ads"]> | "closed" | "unknown";

/** Whether a screen can have ads now, and when it opens next, epoch milliseconds; null where it is open or never opens. */
export interface AdsOutlook {
  readonly state: AdsState;
  readonly opensAt: Instant | null;
}

/** What the service says of one screen, and the hours that the screen keeps by it. */
export interface ScreenHours {
  /** As its location has it, whether the screen keeps its hours or not. */
  ads(): AdsOutlook;
  /** Why the screen is suspended from the start. */
  reasons(): readonly SuspendReason[];
  /** Begins to read, and tells the screen's loop when it is suspended. */
  start(tell: (event: LoopEvent) => void): void;
}

/** What a screen's hours are read and kept with. */
export interface ScreenHoursParts {
  readonly screenId: string;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly fetch: typeof globalThis.fetch;
  /** The wait before a reading's second try, in milliseconds; by default the client's own. */
  readonly spotRetryMs?: number;
  readonly serviceClock: ServiceClock;
  readonly signal: AbortSignal;
  readonly onTitle?: ((title: string) => void) | undefined;
}

/** Hours are kept only where the configuration says so; what the service knows of the screen is read in any case. */
export function openScreenHours(parts: ScreenHoursParts): ScreenHours {
  const { screenId, config, clock, log, random, serviceClock, signal } = parts;
  const { respect } = config.openingHours;
  const watch = new ScreenWatch({
    screenId,
    path: screenFile(config.dataDir, screenId),
    clock,
    random,
    log,
    signal,
    isTimeAwaited: () => serviceClock.isAwaited,
    openInventory: () => openInventory(parts),
    onRead({ title, opening }) {
      hours?.learn(opening);
      if (title !== null) parts.onTitle?.(title);
    },
  });
  const { title, opening } = watch.facts();
  const hours = respect ? new OpeningWatch({ clock, serviceClock, opening, log, signal }) : null;
  return {
    ads: () => adsOutlook(watch.facts(), timeBy(serviceClock).earliest),
    reasons: () => hours?.reasons() ?? [],
    start(tell) {
      if (title !== null) parts.onTitle?.(title);
      hours?.start(tell);
      watch.start(hours !== null && hours.reasons().length > 0);
    },
  };
}

function adsOutlook({ ads, opening }: ScreenFacts, at: Instant): AdsOutlook {
  const isOpenNow = isOpen(opening, at);
  const getsSpots = ads !== "archived" && ads !== "unapproved";
  return {
    state: getsSpots && !isOpenNow ? "closed" : (ads ?? "unknown"),
    opensAt: isOpenNow ? null : nextChange(opening, at),
  };
}

/** Its answers tell the service's time, too: a screen that is closed asks for nothing else. */
async function openInventory({
  config,
  clock,
  fetch,
  spotRetryMs,
  serviceClock,
}: ScreenHoursParts): Promise<Inventory> {
  const { VendorClient } = await import("../../client/vendor-client.ts");
  return new VendorClient({
    baseUrl: config.baseUrl,
    orgToken: config.orgToken,
    async fetch(...request) {
      const sentAt = clock.now();
      const reply = await fetch(...request);
      const heardAt = clock.now();
      // Redirects are followed one by one, so the answer is of the host that was asked.
      const told = toldTime(config.baseUrl, String(request[0]), reply);
      if (told !== null) serviceClock.hear(told.time, { sentAt, heardAt });
      return reply;
    },
    timeoutMs: config.spot.timeoutSeconds * 1000,
    ...(spotRetryMs === undefined ? {} : { retryMs: spotRetryMs }),
  });
}

export interface OpeningWatchParts {
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  /** As last known, or null. */
  readonly opening: Opening | null;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Hours change on whole minutes everywhere; looking each minute also bounds what a clock that jumps can do. */
const EVERY_MS = 60_000;

/**
 * How long a screen that does not know its hours yet, or is closed by the machine's own clock alone, waits for the
 * service's word before it plays, or is blanked: unknown hours are open ones, and a machine's clock can be years off.
 */
const AWAITED_MS = 5_000;

/**
 * Suspends one screen while its location is closed, by the service's wall clock where that is known, else by the
 * machine's.
 */
export class OpeningWatch {
  readonly #parts: OpeningWatchParts;
  readonly #timer: Timer;
  readonly #awaitedUntil: number;
  #opening: Opening | null;
  #awaited: boolean;
  #told: SuspendReason | null;
  #tell: (event: LoopEvent) => void = () => {};

  constructor(parts: OpeningWatchParts) {
    this.#parts = parts;
    this.#opening = parts.opening;
    const { service, wall } = parts.serviceClock.read();
    this.#awaited = parts.opening === null || (service === null && !isOpen(parts.opening, wall));
    this.#awaitedUntil = parts.clock.now() + AWAITED_MS;
    this.#timer = new Timer(parts.clock, () => this.#look());
    this.#told = this.#reason(timeBy(parts.serviceClock));
  }

  /** Why the screen is suspended from the start; none where it is open. */
  reasons(): readonly SuspendReason[] {
    return this.#told === null ? [] : [this.#told];
  }

  /** Tells a loop that was begun with `reasons` from now on when it is suspended and when resumed. */
  start(tell: (event: LoopEvent) => void): void {
    this.#tell = tell;
    this.#parts.signal.addEventListener("abort", () => this.#timer.set());
    this.#look();
  }

  /** Takes in what was read: hours, or that they are not known. */
  learn(opening: Opening | null): void {
    this.#opening = opening;
    this.#awaited = false;
    this.#look();
  }

  #look(): void {
    if (this.#parts.signal.aborted) return;
    const { clock, log } = this.#parts;
    const now = clock.now();
    // Once for all that follows: between two readings the minute could begin.
    const time = timeBy(this.#parts.serviceClock);
    if (now >= this.#awaitedUntil) this.#awaited = false;
    const before = this.#told;
    const reason = this.#reason(time);
    this.#told = reason;
    if (before !== reason) {
      if (reason === "closed" || before === "closed") log.info(reason === "closed" ? "closed" : "open");
      if (reason !== null) this.#tell({ kind: "suspend", because: reason });
      if (before !== null) this.#tell({ kind: "resume", because: before });
    }
    const nextMinute = now + EVERY_MS - Math.max(time.likely % EVERY_MS, time.earliest % EVERY_MS);
    this.#timer.set(this.#awaited ? Math.min(nextMinute, this.#awaitedUntil) : nextMinute);
  }

  #reason({ likely, earliest }: Time): SuspendReason | null {
    if (this.#awaited) return "hours-awaited";
    return isOpen(this.#opening, likely) && isOpen(this.#opening, earliest) ? null : "closed";
  }
}

/** What time it is, and at least is: a screen that opens a moment too early gets a spot without its ad. */
interface Time {
  readonly likely: Instant;
  readonly earliest: Instant;
}

function timeBy(serviceClock: ServiceClock): Time {
  const { service, serviceWithinMs, wall } = serviceClock.read();
  const likely = service ?? wall;
  return { likely, earliest: likely - (serviceWithinMs ?? 0) };
}
