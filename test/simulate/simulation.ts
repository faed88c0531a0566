import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { SPOT_TRIES } from "../../src/client/service.ts";
import { LATE_PAINT_MS } from "../../src/core/loop-state.ts";
import type { Instant } from "../../src/core/spot.ts";
import { audit } from "../../src/emulator/audit/audit.ts";
import type { Violation, ViolationName } from "../../src/emulator/audit/violation.ts";
import type { LedgerSpot } from "../../src/emulator/spot/ledger.ts";
import { Books } from "./books.ts";
import { Chance } from "./chance.ts";
import { makeCreatives, type SimulatedCreative } from "./creatives.ts";
import { SimulatedDisk } from "./disk.ts";
import { Machine } from "./machine.ts";
import { blowsOf, DAY_MS, HOUR_MS } from "./plan.ts";
import { quiet } from "./quiet.ts";
import { CACHE_BYTES, MAX_ITEM_BYTES } from "./run.ts";
import { MEDIA_URL, openScreenNetwork, type ScreenNetwork } from "./screen-network.ts";
import { MachineClocks, SimulatedTime } from "./time.ts";
import { simulateTimers } from "./timers.ts";
import { Trace } from "./trace.ts";
import { LONGEST_WAY_MS, Wire } from "./wire.ts";

/** How a simulation is to run. */
export interface SimulationOptions {
  readonly days: number;
  readonly seed: number;
  readonly signal?: AbortSignal;
  /** Told of the progress, once for each virtual day. */
  readonly onDay?: (outcome: Outcome) => void;
  /** Told of each event, as a line. */
  readonly onEvent?: (line: string) => void;
}

/** What a simulation found. */
export interface Outcome {
  readonly seed: number;
  /** Virtual time that passed, in days. */
  readonly days: number;
  readonly hash: string;
  readonly events: number;
  readonly totals: Books["totals"];
  readonly failed: Readonly<Record<string, number>>;
  readonly machine: Machine["counts"];
  readonly faults: Readonly<Record<string, number>>;
  readonly spots: number;
  readonly realMs: number;
  /** What was found wrong, with when and what came before; null for nothing. */
  readonly failure: Failure | null;
}

export interface Failure {
  readonly at: Instant;
  readonly complaints: readonly string[];
  readonly last: readonly string[];
}

/** 2026-03-01T00:00:00Z. */
const EPOCH = Date.UTC(2026, 2, 1);
/** Longer than a spot and any rest that a service can order here: a player that is up asks again within it. */
const LONGEST_PAUSE_MS = 15 * 60_000;
/** Spots older than this have been audited. */
const AUDITED_MS = 3 * HOUR_MS;

/** Lets a player live through so many virtual days, and watches it. */
export async function simulate(options: SimulationOptions): Promise<Outcome> {
  const simulation = await Simulation.open(options);
  try {
    return await simulation.live();
  } finally {
    await simulation.close();
  }
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #chance: Chance;
  readonly #time: SimulatedTime;
  readonly #trace: Trace;
  readonly #books = new Books();
  readonly #disk: SimulatedDisk;
  readonly #screens: ScreenNetwork;
  readonly #machine: Machine;
  readonly #wire: Wire;
  readonly #creatives: readonly SimulatedCreative[];
  readonly #faults = new Map<string, number>();
  readonly #begunAt = performance.now();
  readonly #restore: () => void;
  /** Whether the last spot's items were told with size and digest, by URL. */
  readonly #checked = new Set<string>();
  #spots = 0;
  #stray: string[] = [];

  static async open(options: SimulationOptions): Promise<Simulation> {
    const time = new SimulatedTime();
    const clocks = new MachineClocks(time, EPOCH);
    const chance = new Chance(options.seed);
    const disk = new SimulatedDisk();
    const folder = join(disk.root, "creatives");
    const creatives = makeCreatives(folder, chance);
    const screens = await openScreenNetwork(folder, options.seed, time, clocks);
    return new Simulation(options, { time, clocks, chance, disk, creatives, screens });
  }

  private constructor(
    options: SimulationOptions,
    world: {
      time: SimulatedTime;
      clocks: MachineClocks;
      chance: Chance;
      disk: SimulatedDisk;
      creatives: readonly SimulatedCreative[];
      screens: ScreenNetwork;
    },
  ) {
    const { time, clocks, chance, disk, creatives, screens } = world;
    this.#options = options;
    this.#trace = new Trace(options.onEvent);
    this.#time = time;
    this.#chance = chance;
    this.#disk = disk;
    this.#creatives = creatives;
    this.#screens = screens;
    const shared = { time, chance, clocks, trace: this.#trace, books: this.#books };
    const onFault = (name: string) => void this.#faults.set(name, (this.#faults.get(name) ?? 0) + 1);
    this.#wire = new Wire({
      ...shared,
      ...{ screens, onFault, maxItemBytes: MAX_ITEM_BYTES },
      isChecked: (url) => this.#checked.has(url),
      beforeSpot: () => this.#planSpot(),
      onMoment: (moment) => this.#machine.onMoment(moment),
    });
    const byUrl = new Map(creatives.map((creative) => [`${MEDIA_URL}/${creative.item.url}`, creative]));
    this.#machine = new Machine({ ...shared, wire: this.#wire, disk, creatives: byUrl, onFault });
    this.#books.onExcused = (pop) => screens.spoil(pop.slice(MEDIA_URL.length), "crash");
    this.#books.onShown = (offer) => this.#machine.checkOwed(offer);
    this.#restore = simulateTimers(time, chance);
    process.on("unhandledRejection", this.#onStray);
    process.on("uncaughtException", this.#onStray);
  }

  readonly #onStray = (error: unknown): void => {
    this.#stray.push(error instanceof Error ? (error.stack ?? String(error)) : String(error));
  };

  async live(): Promise<Outcome> {
    const end = this.#options.days * DAY_MS;
    await this.#machine.start();
    for (let hour = 0; hour * HOUR_MS < end; hour++) {
      this.#planHour(hour);
      const failure = await this.#liveUntil(Math.min(end, (hour + 1) * HOUR_MS));
      if (failure !== null) return this.#outcome(failure);
      if (hour % 24 === 23) this.#options.onDay?.(this.#outcome(null));
    }
    return this.#outcome(null);
  }

  async close(): Promise<void> {
    const { run } = this.#machine;
    run?.vanish();
    await run?.bury();
    process.off("unhandledRejection", this.#onStray);
    process.off("uncaughtException", this.#onStray);
    this.#restore();
    this.#disk.close();
  }

  async #liveUntil(end: Instant): Promise<Failure | null> {
    for (let more = true; more; ) {
      more = this.#stepTo(end);
      await quiet();
      await this.#machine.afterStep();
      this.#books.stepEnded();
      this.#checkLoop();
      const failure = this.#failure();
      if (failure !== null) return failure;
      this.#options.signal?.throwIfAborted();
    }
    this.#checkHour();
    return this.#failure();
  }

  #stepTo(end: Instant): boolean {
    try {
      return this.#time.step(end);
    } catch (error) {
      this.#onStray(error);
      return false;
    }
  }

  #failure(): Failure | null {
    const complaints = [...this.#books.complaints, ...this.#stray.map((stack) => `the player threw: ${stack}`)];
    return complaints.length === 0 ? null : { at: this.#time.now(), complaints, last: this.#trace.last() };
  }

  #planHour(hour: number): void {
    const right = EPOCH + hour * HOUR_MS;
    for (const { at, blow } of blowsOf(hour, this.#chance, this.#disk.canFail, right)) {
      this.#time.alarm(at, () => this.#machine.strike(blow));
    }
  }

  /** What the network gives out next: mostly both items, mostly of a few creatives, some with size and digest. */
  #planSpot(): void {
    const turn = this.#spots++;
    const chance = this.#chance;
    const kind = chance.weighed({ both: 90, news: 4, ad: 4, none: 2 }, `spot ${turn}`);
    const item = (which: string) => this.#itemOf(`${which} of spot ${turn}`);
    this.#screens.plan({
      newsFirst: chance.happens(0.5, `order of spot ${turn}`),
      news: kind === "both" || kind === "news" ? { ...item("news"), newsType: "general" } : null,
      ad: kind === "both" || kind === "ad" ? item("ad") : null,
    });
  }

  #itemOf(question: string) {
    // Squared: some creatives come again and again, others hardly ever.
    const at = Math.floor(this.#chance.roll(question) ** 2 * this.#creatives.length);
    const { item, file } = this.#creatives[at] as SimulatedCreative;
    const url = `${MEDIA_URL}/${item.url}`;
    const checked = at % 3 === 0;
    if (checked) this.#checked.add(url);
    return checked ? { ...item, size: file.bytes.length, md5: file.md5 } : item;
  }

  #checkLoop(): void {
    const state = this.#machine.run?.player?.loop.state();
    if (state === undefined) return;
    const since = Math.max(this.#wire.askedAt, this.#machine.startedAt);
    if (this.#time.now() - since > LONGEST_PAUSE_MS) this.#books.complain("no spot was asked for any more");
    const ready = new Set(
      state.line.map(({ playout }) => playout.spotNumber).filter((number) => number > state.begunSpot),
    );
    const preparing = state.preparation === null ? 0 : 1;
    if (ready.size + preparing > 1) this.#books.complain(`${ready.size} spots ready, ${preparing} on the way`);
  }

  #checkHour(): void {
    this.#machine.check();
    this.#checkAudit();
    this.#checkPace();
    this.#checkSizes();
  }

  /** The auditor of the emulator must be content. About pace and proof rate it is shown only what could be shown. */
  #checkAudit(): void {
    const { network } = this.#screens;
    const { ledger, oddPops } = network.state;
    const now = network.clock.now();
    const spots = [...ledger.spots.values()];
    const facts = { oddPops, now, amountOf: () => 1 };
    const found = [
      ...audit({ ...facts, spots }).filter(
        (one) => !RATES.has(one.name) && !this.#skippedOver(one) && !this.#overtaken(one),
      ),
      ...audit({ ...facts, spots: spots.map((spot) => this.#asShown(spot)), oddPops: [] }).filter(({ name }) =>
        RATES.has(name),
      ),
    ];
    for (const { name, requestId, kind, detail } of found) {
      const offers = [...this.#books.all()].filter((offer) => offer.requestId === requestId);
      this.#books.complain(`the auditor: ${name} of ${kind}: ${detail}: ${JSON.stringify(offers)}`);
    }
    for (const spot of spots) if (now - spot.issuedAt > AUDITED_MS) forget(network.state.ledger, spot);
    const fresh = oddPops.filter(({ at }) => now - at < AUDITED_MS + HOUR_MS);
    oddPops.splice(0, oddPops.length, ...fresh);
  }

  /** Proofs that wait together go out together, and one can overtake the other on its way. */
  #overtaken({ name, requestId }: Violation): boolean {
    const spot = requestId === null ? undefined : this.#screens.network.state.ledger.spots.get(requestId);
    if (name !== "wrong-order" || spot === undefined) return false;
    const sentAt = (item: LedgerSpot["news"]) =>
      (item === null ? undefined : this.#books.find(MEDIA_URL + item.popPath))?.firstTriedAt ?? 0;
    const [first, second] = spot.newsFirst ? [spot.news, spot.ad] : [spot.ad, spot.news];
    return sentAt(first) <= sentAt(second) && sentAt(second) < sentAt(first) + LONGEST_WAY_MS;
  }

  /** The auditor reckons with both items of a spot; where the first could not be shown, the second is over sooner. */
  #skippedOver({ name, at, requestId, kind }: Violation): boolean {
    const spot = requestId === null ? undefined : this.#screens.network.state.ledger.spots.get(requestId);
    if (name !== "early-pop" || spot === undefined || kind === null) return false;
    const [first, second] = spot.newsFirst ? [spot.news, spot.ad] : [spot.ad, spot.news];
    if (first === null || second === null || second !== spot[kind]) return false;
    const ended = this.#books.find(MEDIA_URL + first.popPath)?.end?.kind;
    const ownMs = second.shownAt - first.shownAt;
    return first.pops.length === 0 && ended !== "shown" && at - spot.issuedAt >= ownMs - LATE_PAINT_MS;
  }

  /** A spot without the items that a fault, named by the player, kept from the screen, or from being proved. */
  #asShown(spot: LedgerSpot): LedgerSpot {
    const item = (one: LedgerSpot["news"]) => {
      const offer = one === null ? undefined : this.#books.find(MEDIA_URL + one.popPath);
      if (offer === undefined || offer.end?.kind !== "shown") return null;
      return offer.spoilt && offer.state !== "delivered" ? null : one;
    };
    const [news, ad] = [item(spot.news), item(spot.ad)];
    const [first, second] = spot.newsFirst ? [spot.news, spot.ad] : [spot.ad, spot.news];
    // The ledger tells a length by the instants at which both can first have ended.
    const alone = (one: LedgerSpot["news"]) =>
      one === null || one !== second || first === null
        ? one
        : { ...one, shownAt: spot.issuedAt + one.shownAt - first.shownAt };
    return { ...spot, news: ad === null ? alone(news) : news, ad: news === null ? alone(ad) : ad };
  }

  /** However bad the hour was, the service was not stormed: each spot begun and each start allows some tries (G6, G7). */
  #checkPace(): void {
    const now = this.#time.now();
    const begun = new Set<string>();
    for (const { paintedAt, requestId } of this.#books.all()) {
      if (paintedAt !== null && now - paintedAt < HOUR_MS) begun.add(requestId);
    }
    const starts = this.#books.runs.filter(({ startedAt }) => now - startedAt < HOUR_MS).length;
    const most = SPOT_TRIES * (LONG_RESTS + MISSES_OF_A_SPOT * (begun.size + starts));
    if (this.#wire.asked > most)
      this.#books.complain(`${this.#wire.asked} calls for spots in an hour, ${most} at most`);
    this.#wire.asked = 0;
  }

  #checkSizes(): void {
    const books = this.#books;
    const size = this.#machine.run?.player?.cache.size();
    if (size !== undefined && size.bytes > CACHE_BYTES)
      books.complain(`${size.bytes} bytes in a cache of ${CACHE_BYTES}`);
    const bytes = bytesIn(join(this.#disk.folder, "media", "v1"));
    const most = CACHE_BYTES + MOST_PARTIALS * MAX_ITEM_BYTES;
    if (bytes > most) books.complain(`${bytes} bytes of media on the disk, ${most} at most`);
  }

  #outcome(failure: Failure | null): Outcome {
    return {
      seed: this.#options.seed,
      days: this.#time.now() / DAY_MS,
      hash: this.#trace.hash(),
      events: this.#trace.count,
      totals: this.#books.totals,
      failed: Object.fromEntries(this.#books.failed),
      machine: this.#machine.counts,
      faults: Object.fromEntries([...this.#faults].sort()),
      spots: this.#spots,
      realMs: performance.now() - this.#begunAt,
      failure,
    };
  }
}

/** What the auditor says of a screen as a whole. */
const RATES: ReadonlySet<ViolationName> = new Set(["over-requesting", "low-proof-rate"]);

/** In an hour without anything on screen: the rests double to two minutes. */
const LONG_RESTS = 40;
/** After each spot that reached the screen the rests begin anew; an item is over before there can be more. */
const MISSES_OF_A_SPOT = 6;

/** On the shelf, and on their way for the two items of a spot and a page's parts. */
const MOST_PARTIALS = 8 + 4;

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}

function forget({ spots, pops }: ScreenNetwork["network"]["state"]["ledger"], spot: LedgerSpot): void {
  spots.delete(spot.requestId);
  for (const item of [spot.news, spot.ad]) if (item !== null) pops.delete(item.popPath);
}
