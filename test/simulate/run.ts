import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { pino } from "pino";
import type { FailureReason, Playout } from "../../src/core/spot.ts";
import { type Config, configOf } from "../../src/player/config/config.ts";
import { configFileSchema } from "../../src/player/config/schema.ts";
import { createMetrics } from "../../src/player/health/metrics.ts";
import type { Media } from "../../src/player/media/media.ts";
import type { PageCache } from "../../src/player/media/page-cache.ts";
import { type Player, startPlayer } from "../../src/player/player.ts";
import type { PlayingScreen } from "../../src/player/screen/playing-screen.ts";
import { type DeckMishap, SimulatedStage } from "../support/player/simulated-stage.ts";
import type { Books } from "./books.ts";
import type { Chance } from "./chance.ts";
import type { SimulatedCreative } from "./creatives.ts";
import { MEDIA_URL, ORG_TOKEN, SCREEN_ID, SERVICE_URL } from "./screen-network.ts";
import type { MachineClocks, SimulatedTime } from "./time.ts";
import type { Trace } from "./trace.ts";
import type { Wire } from "./wire.ts";

/** Instants of a playout at which the machine may vanish. */
export type StageMoment = "cue" | "painted" | "cleared" | "settled";

export interface RunParts {
  readonly time: SimulatedTime;
  readonly clocks: MachineClocks;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly books: Books;
  readonly wire: Wire;
  readonly folder: string;
  /** By the whole URL. */
  readonly creatives: ReadonlyMap<string, SimulatedCreative>;
  readonly onMoment: (moment: StageMoment) => void;
  readonly onFault: (name: string) => void;
  /** Told of the proof of an item whose deck is in trouble. */
  readonly onDeckTrouble: (pop: string) => void;
}

/** Small, so that making room is a matter of every day: more than two spots, less than all there is. */
export const CACHE_BYTES = 260 * 1024;
export const MAX_ITEM_BYTES = 64 * 1024;
const MIN_FREE_BYTES = 64 * 1024;
const BALLAST_BYTES = 256 * 1024;

const DECKS_IN_TROUBLE = 0.02;
const MISHAPS = {
  ...{ "loads-late": 4, "never-loads": 2, "paints-late": 4, "never-paints": 2 },
  ...{ "load-failed": 2, undecodable: 2, "crashed-loading": 1, stalled: 2, crashed: 1, hung: 1 },
};

/** One life of the player. */
export class Run {
  readonly number: number;
  readonly stage: SimulatedStage;
  player: Player | null = null;
  screen: PlayingScreen | null = null;
  readonly #parts: RunParts;
  readonly #gone = new AbortController();
  readonly #calls = new Set<AbortController>();
  readonly #pages = new Map<string, PageCache>();

  constructor(number: number, parts: RunParts) {
    this.number = number;
    this.#parts = parts;
    this.#clock = parts.clocks.clockOfRun(this.#gone.signal);
    this.stage = new SimulatedStage(this.#clock, {
      mishapOf: (playout) => this.#mishapOf(playout),
      load: (playout, media) => this.#load(playout, media),
      record: (playout, _media, signal) => this.#record(playout, signal),
      onTaken: (playout) => this.#onTaken(playout),
      onPainted: (playout) => this.#onPainted(playout),
      onFailed: (playout, reason) => this.#onFailed(playout, reason),
      onCleared: (playout) => this.#onCleared(playout),
    });
  }

  readonly #clock;

  get alive(): boolean {
    return !this.#gone.signal.aborted;
  }

  /** Throws what the player throws where its folder cannot be used. */
  async start(): Promise<void> {
    const { chance, time, wire, books, folder } = this.#parts;
    const caller = { run: this.number, gone: this.#gone.signal, calls: this.#calls };
    const player = await startPlayer({
      config: configFor(folder),
      clock: this.#clock,
      log: pino({ level: "silent" }),
      metrics: createMetrics(),
      fetch: wire.fetchFor(caller),
      resolve: async () => [],
      random: () => chance.roll(`dice ${time.now()}`),
      ballastBytes: BALLAST_BYTES,
    });
    this.player = player;
    const screen = player.play(SCREEN_ID, this.stage, {
      onSettled: (playout, outcome) => {
        if (!this.alive) return;
        const how = outcome.kind === "failed" ? outcome.reason : "in full";
        this.#note(`${playout.id} ${playout.item.id} ${outcome.kind} ${how}`);
        books.ended(playout, outcome, this.number, time.now());
        this.#parts.onMoment("settled");
      },
    });
    this.screen = screen;
    this.stage.connect((event) => screen.loop.dispatch(event));
  }

  /** As the operating system asks it to. Its decks are gone with it. */
  async stop(): Promise<void> {
    await this.player?.stop();
    this.#end(new Error("stopped"));
  }

  /** It is gone, in the middle of whatever it was doing; nothing that it still does can be seen. */
  vanish(): void {
    this.#parts.books.crashed(this.number, this.#parts.time.now());
    this.#end(new Error("vanished"));
  }

  /** Closes the files of a run that vanished, so that they can be removed. */
  async bury(): Promise<void> {
    await this.player?.stop();
  }

  #end(reason: Error): void {
    this.#gone.abort(reason);
    for (const call of this.#calls) call.abort(reason);
    this.#calls.clear();
  }

  #mishapOf({ requestId, item }: Playout): DeckMishap | null {
    const { chance, onFault, onDeckTrouble } = this.#parts;
    const question = `deck ${requestId} ${item.kind}`;
    if (!chance.happens(DECKS_IN_TROUBLE, question)) return null;
    const name = chance.weighed(MISHAPS, `${question} how`);
    onFault(`deck ${name}`);
    onDeckTrouble(item.pop);
    switch (name) {
      case "loads-late":
        return { kind: name, ms: chance.between(100, 25_000, `${question} ms`) };
      case "paints-late":
        return { kind: name, ms: chance.between(10, 2_500, `${question} ms`) };
      case "never-loads":
      case "never-paints":
        return { kind: name };
      case "load-failed":
      case "undecodable":
        return { kind: "fails", reason: name };
      case "crashed-loading":
        return { kind: "fails", reason: "crashed" };
      case "stalled":
      case "crashed":
      case "hung":
        return { kind: "breaks", reason: name, afterMs: chance.between(1, item.durationMs, `${question} ms`) };
    }
  }

  async #load(playout: Playout, media: Media): Promise<FailureReason | null> {
    if (!this.alive) return null;
    const { books, creatives, onMoment, time } = this.#parts;
    this.#note(`${playout.id} ${playout.item.id} cued`);
    books.cued(playout, time.now());
    if (this.stage.decks > MOST_DECKS) books.complain(`${this.stage.decks} decks at once`);
    onMoment("cue");
    const creative = creatives.get(playout.item.url);
    const flaw = flawOf(media, creative?.file.sha256);
    if (flaw === "missing") return "load-failed";
    if (flaw !== null) books.complain(`cued a broken byte: ${playout.item.url}: ${flaw}`);
    if (playout.item.form !== "html" || creative === undefined) return null;
    const page = this.player?.openPage(playout.item);
    if (page === undefined) return "load-failed";
    this.#pages.set(playout.id, page);
    return this.#loadPage(page, playout, creative);
  }

  /** Out of sight, as the stage does when a page was fetched. */
  async #record(playout: Playout, signal: AbortSignal): Promise<FailureReason | null> {
    const creative = this.#parts.creatives.get(playout.item.url);
    const page = this.player?.openPage(playout.item);
    if (!this.alive || creative === undefined || page === undefined) return "load-failed";
    const close = () => page.close();
    signal.addEventListener("abort", close);
    const reason = await this.#loadPage(page, playout, creative);
    signal.removeEventListener("abort", close);
    close();
    this.#note(`${playout.id} ${playout.item.id} ${reason ?? "recorded"}`);
    return reason;
  }

  /** As a browser does: the page, then what it asks for. */
  async #loadPage(
    page: PageCache,
    { item }: Playout,
    { subResources }: SimulatedCreative,
  ): Promise<FailureReason | null> {
    const wanted = [item.url, ...subResources.map(({ name }) => `${MEDIA_URL}/creatives/${name}`)];
    for (const [index, url] of wanted.entries()) {
      // A disk that fails fails the request, as it does in a browser.
      const answer = await page.answer("GET", url).catch(() => null);
      if (!this.alive) return null;
      if (answer?.kind !== "media") return "load-failed";
      const flaw = index === 0 ? null : flawOf(answer.media, subResources[index - 1]?.sha256);
      if (flaw !== null) this.#parts.books.complain(`a page was given a broken byte: ${url}: ${flaw}`);
    }
    return page.lacking() === null ? null : "load-failed";
  }

  #onTaken(playout: Playout): void {
    if (this.alive) this.#parts.books.taken(playout);
  }

  #onPainted(playout: Playout): void {
    if (!this.alive) return;
    this.#note(`${playout.id} ${playout.item.id} painted`);
    this.#parts.books.painted(playout, this.#parts.time.now());
    this.#parts.onMoment("painted");
  }

  #onFailed(playout: Playout, reason: FailureReason): void {
    if (!this.alive) return;
    this.#note(`${playout.id} ${playout.item.id} broke: ${reason}`);
    this.#parts.books.broke(playout);
  }

  #onCleared(playout: Playout): void {
    if (!this.alive) return;
    this.#pages.get(playout.id)?.close();
    this.#pages.delete(playout.id);
    this.#note(`${playout.id} ${playout.item.id} cleared`);
    this.#parts.books.cleared(playout, this.number, this.#parts.time.now());
    this.#parts.onMoment("cleared");
  }

  #note(event: string): void {
    this.#parts.trace.note(this.#parts.time.now(), `run ${this.number}: ${event}`);
  }
}

/** One in sight and one below it. */
const MOST_DECKS = 2;

/** What is wrong with a file that is put on a deck, or null. */
function flawOf({ path, digest }: Media, expected: string | undefined): string | null {
  if (!existsSync(path)) return "missing";
  const found = createHash("sha256").update(readFileSync(path)).digest("hex");
  if (found !== digest) return `${digest} promised, ${found} found`;
  return expected === undefined || expected === found ? null : `${expected} at its server, ${found} found`;
}

function configFor(folder: string): Config {
  const written = {
    ...{ baseUrl: SERVICE_URL, orgToken: ORG_TOKEN, screenId: SCREEN_ID },
    cache: { maxBytes: CACHE_BYTES, maxItemBytes: MAX_ITEM_BYTES, minFreeBytes: MIN_FREE_BYTES },
    // So that old rows go each hour, and what is left is verified at every crash.
    record: { days: 1 },
  };
  return configOf(configFileSchema.parse(written), ORG_TOKEN, folder);
}
