import type { Instant } from "../../src/core/spot.ts";
import type { ContentItem } from "../../src/wire/spot.ts";
import { readSpot } from "../../src/wire/spot.ts";
import { reached, received, type SentAnswer } from "./answer.ts";
import type { Books } from "./books.ts";
import { addressOf, type Call, type Caller, callOf, isHop, type Route } from "./call.ts";
import type { Chance } from "./chance.ts";
import { mediaMishap, type NamedMishap, plainMishap, spotMishap } from "./mishaps.ts";
import { MEDIA_URL, type ScreenNetwork, SERVICE_URL } from "./screen-network.ts";
import type { SimulatedTime } from "./time.ts";
import type { Trace } from "./trace.ts";
import { weatherAt } from "./weather.ts";

/** Instants at which a machine may vanish while something is under way. */
export type Moment =
  | "spot-sent"
  | "spot-answered"
  | "media-sent"
  | "media-piece"
  | "proof-sent"
  | "proof-counted"
  | "proof-answered"
  /** The answer is in the player's hands, and nothing is written down yet. */
  | "proof-heard";

export interface WireParts {
  readonly time: SimulatedTime;
  readonly chance: Chance;
  readonly trace: Trace;
  readonly books: Books;
  readonly screens: ScreenNetwork;
  /** Files of which a spot told size and digest. */
  readonly isChecked: (url: string) => boolean;
  /** The URL of the item that a file is, or is a part of. */
  readonly itemOf: (url: string) => string;
  readonly maxItemBytes: number;
  /** Chooses the next spot, just before it is asked for. */
  readonly beforeSpot: () => void;
  readonly onFault: (name: string) => void;
  readonly onMoment: (moment: Moment) => void;
}

/** A call, and its answer, are under way for so long. */
const SHORTEST_WAY_MS = 2;
export const LONGEST_WAY_MS = 60;

/** The network between player and emulator: every call takes its time, and what befalls it is drawn from the seed. */
export class Wire {
  readonly #parts: WireParts;
  /** When a spot was last asked for. */
  askedAt: Instant = 0;
  /** How often each target was asked for. */
  readonly #calls = new Map<string, number>();

  constructor(parts: WireParts) {
    this.#parts = parts;
  }

  /** What a run of the player fetches with. */
  fetchFor(caller: Caller): typeof fetch {
    return async (input, init) => {
      caller.gone.throwIfAborted();
      const call = this.#begin(caller, String(input), init ?? {});
      const first = call.route === "pop" && !isHop(String(input));
      if (first) this.#parts.books.tryBegun(MEDIA_URL + call.target, caller.run, call.begunAt);
      const faults = { count: 0 };
      try {
        const answer = await this.#carry(call, faults);
        this.#heard(call, answer.status, faults.count > 0);
        if (call.route === "pop") setImmediate(() => call.gone.aborted || this.#parts.onMoment("proof-heard"));
        return received(answer, {
          time: this.#parts.time,
          signal: call.signal,
          onPiece: () => this.#piece(call),
          onEnd: call.end,
        });
      } catch (error) {
        this.#heard(call, null, faults.count > 0);
        call.end();
        throw error;
      }
    };
  }

  #begin(caller: Caller, url: string, init: RequestInit): Call {
    const begunAt = this.#parts.time.now();
    const { route, target } = addressOf(url);
    const turn = (this.#calls.get(target) ?? 0) + 1;
    this.#remember(target, turn, route);
    if (route === "spot") {
      this.askedAt = begunAt;
      this.#parts.books.spotAsked(caller.run, begunAt);
    }
    return callOf(caller, url, init, begunAt, turn);
  }

  /** A proof is asked for a few times within its hour; those of the longest ago are forgotten. */
  #remember(target: string, turn: number, route: Route): void {
    if (route === "pop") this.#calls.delete(target);
    this.#calls.set(target, turn);
    if (this.#calls.size <= 20_000) return;
    for (const old of this.#calls.keys()) {
      if (this.#calls.size <= 15_000) break;
      if (old.startsWith("/pop/")) this.#calls.delete(old);
    }
  }

  async #carry(call: Call, faults: { count: number }): Promise<SentAnswer> {
    const { time, chance, onFault, onMoment } = this.#parts;
    const found = this.#mishap(call);
    if (found !== null) {
      faults.count++;
      onFault(found.name);
      this.#note(call, found.name);
      if (call.route === "pop") this.#parts.screens.spoil(call.target, found.name);
      if (call.route === "media") this.#parts.screens.hinder(this.#parts.itemOf(MEDIA_URL + call.target));
    }
    const mishap = found?.mishap ?? null;
    await this.#pass(call, "there");
    if (mishap?.kind === "lost" && !mishap.arrives) return this.#lose(call, mishap.hangs);
    if (mishap?.kind === "instead") return dated(mishap.answer, this.#parts.screens);
    const hops = mishap?.kind === "redirected" ? mishap.hops : call.hops;
    if (hops > 0) return this.#redirect(call, hops - 1);
    const { sent: onSent, answered: onAnswered } = MOMENTS[call.route];
    if (onSent !== null) onMoment(onSent);
    call.gone.throwIfAborted();
    const answer = await this.#ask(call);
    if (mishap !== null && call.route === "spot") this.#hinder(answer);
    if (call.route === "pop") onMoment("proof-counted");
    if (mishap?.kind === "lost") return this.#lose(call, mishap.hangs);
    if (mishap?.kind === "late")
      await reached(time, time.now() + mishap.ms * chance.between(0.5, 1, call.name), call.signal);
    const sent = mishap?.kind === "altered" ? mishap.alter(answer) : answer;
    if (call.route === "spot") this.#readAsSent(answer, sent);
    await this.#pass(call, "back");
    if (onAnswered !== null) onMoment(onAnswered);
    call.gone.throwIfAborted();
    return sent;
  }

  #mishap({ route, target, name }: Call): NamedMishap | null {
    const { time, chance, isChecked, maxItemBytes } = this.#parts;
    const weather = weatherAt(time.now(), chance);
    switch (weather.outage) {
      case "refused":
      case "silent":
        return {
          name: `outage ${weather.outage}`,
          mishap: { kind: "lost", arrives: false, hangs: weather.outage === "silent" },
        };
      case "maintenance":
        return { name: "outage maintenance", mishap: { kind: "instead", answer: MAINTENANCE } };
      case null:
        break;
    }
    if (!chance.happens(weather.faults[route], `fault ${name}`)) return null;
    if (route === "spot") return spotMishap(chance, name);
    if (route === "pop" || route === "inventory") return plainMishap(route, chance, name);
    return mediaMishap(chance, name, isChecked(MEDIA_URL + target), maxItemBytes);
  }

  async #ask(call: Call): Promise<SentAnswer> {
    const { screens, beforeSpot } = this.#parts;
    if (call.route === "spot") beforeSpot();
    const reply = await screens.call(call.surface, call.target, call.headers);
    const bytes = Buffer.from(await reply.arrayBuffer());
    if (call.route === "spot" && reply.status === 200) this.#enter(bytes, call.begunAt);
    return { status: reply.status, headers: reply.headers, bytes };
  }

  /** The network knows which spot it gave out when a mishap met it. */
  #hinder({ status, bytes }: SentAnswer): void {
    if (status === 200) this.#parts.screens.hinder(JSON.parse(bytes.toString()).data.requestId);
  }

  /** Every item of a spot is in the books from when the network gave it out. */
  #enter(bytes: Buffer, askedAt: Instant): void {
    const { requestId, newsFirst, news, ad } = JSON.parse(bytes.toString()).data;
    const order = newsFirst ? [news, ad] : [ad, news];
    for (const item of order.filter((one: ContentItem | null) => one !== null) as ContentItem[]) {
      const kind = item === news ? "news" : "ad";
      const place = order.indexOf(item);
      this.#parts.books.offer({ pop: item.pop, requestId, kind, place, durationMs: item.duration, askedAt });
    }
  }

  /** What the player can make of an answer as it is sent; items that it cannot read it must not show (F18). */
  #readAsSent(answer: SentAnswer, sent: SentAnswer): void {
    if (answer === sent || answer.status !== 200) return;
    const { news, ad } = JSON.parse(answer.bytes.toString()).data;
    const read = readingOf(sent);
    for (const item of [news, ad]) {
      if (item === null || read.has(item.pop)) continue;
      const offer = this.#parts.books.find(item.pop);
      if (offer !== undefined) offer.malformed = true;
    }
  }

  async #pass(call: Call, way: string): Promise<void> {
    const { time, chance } = this.#parts;
    await reached(
      time,
      time.now() + chance.between(SHORTEST_WAY_MS, LONGEST_WAY_MS, `${way} ${call.name}`),
      call.signal,
    );
  }

  async #lose(call: Call, hangs: boolean): Promise<never> {
    if (hangs) await reached(this.#parts.time, Number.POSITIVE_INFINITY, call.signal);
    throw new TypeError("fetch failed", { cause: Object.assign(new Error("reset"), { code: "ECONNRESET" }) });
  }

  async #redirect(call: Call, left: number): Promise<SentAnswer> {
    const base = call.surface === "service" ? SERVICE_URL : MEDIA_URL;
    await this.#pass(call, "back");
    const headers = new Headers({ location: `${base}/via/${left}${call.target}` });
    return { status: 302, headers, bytes: Buffer.alloc(0) };
  }

  #piece(call: Call): void {
    if (call.route === "media") this.#parts.onMoment("media-piece");
  }

  #heard(call: Call, status: number | null, spoilt: boolean): void {
    if (call.gone.aborted) return;
    this.#note(call, `answered ${status}`);
    if (call.route !== "pop") return;
    const { books, time } = this.#parts;
    const pop = MEDIA_URL + call.target;
    const offer = books.find(pop);
    // A redirect is followed, and only the last answer counts.
    if (status === 302 && offer !== undefined && offer.hops++ < MOST_HOPS) return;
    books.tryEnded(pop, call.run, status, spoilt || call.hops > 0, time.now());
  }

  #note({ route, target, hops }: Call, text: string): void {
    this.#parts.trace.note(this.#parts.time.now(), `${route} ${target}${hops > 0 ? ` hop ${hops}` : ""}: ${text}`);
  }
}

const MOMENTS: Readonly<Record<Route, { readonly sent: Moment | null; readonly answered: Moment | null }>> = {
  spot: { sent: "spot-sent", answered: "spot-answered" },
  media: { sent: "media-sent", answered: "media-piece" },
  pop: { sent: "proof-sent", answered: "proof-answered" },
  inventory: { sent: null, answered: null },
};

/** How many redirects are followed (F21). */
const MOST_HOPS = 5;

const MAINTENANCE: SentAnswer = {
  status: 503,
  headers: new Headers({ "retry-after": "120", "content-type": "text/html" }),
  bytes: Buffer.from("<h1>Back soon</h1>"),
};

/** Whoever answers in the network's place knows the time too. */
function dated(answer: SentAnswer, { network }: ScreenNetwork): SentAnswer {
  const headers = new Headers(answer.headers);
  headers.set("date", new Date(network.clock.now()).toUTCString());
  return { ...answer, headers };
}

function readingOf({ status, bytes }: SentAnswer): ReadonlySet<string> {
  const pops = new Set<string>();
  if (status !== 200) return pops;
  try {
    const reading = readSpot(JSON.parse(bytes.toString()));
    if (reading.kind !== "spot") return pops;
    for (const item of [reading.spot.news, reading.spot.ad]) if (item !== null) pops.add(item.pop);
  } catch {
    return pops;
  }
  return pops;
}
