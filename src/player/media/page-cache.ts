import { underControl } from "../../client/http.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import { type EgressPolicy, mayReach } from "../network/egress-policy.ts";
import type { MediaRequest } from "./download.ts";
import {
  type ErrorResponse,
  type Media,
  type MediaOutcome,
  type Miss,
  MOST_HEADER_CHARS,
  type PageHeaders,
} from "./media.ts";
import type { MediaCache } from "./media-cache.ts";
import { PageAbsences, type PagePart } from "./page-absences.ts";
import type { AbsenceBook } from "./page-books.ts";
import { PageBudget, type PageLimits } from "./page-limits.ts";
import { type AskedWith, charsOfHeaders, isPlain, isSamePage, PLAINLY } from "./page-request.ts";

/** The answer to one request of an HTML creative. */
export type PageAnswer =
  | {
      readonly kind: "media";
      readonly media: Media;
      /** What its server said of how it is to be shown, by names in lower case. */
      readonly headers: PageHeaders;
      /** Where it came from, if redirects led elsewhere; that URL is answered from the cache, too (F21). */
      readonly finalUrl: string | null;
    }
  /** Answered here, with nothing: beacons and other writes go nowhere. */
  | { readonly kind: "swallowed" }
  | { readonly kind: "refused"; readonly reason: string }
  /** `status` and `response`: what its server answered, or `null` where none did. */
  | {
      readonly kind: "missing";
      readonly reason: string;
      readonly status: number | null;
      readonly response: ErrorResponse | null;
    };

/** What a creative's page is opened with. */
export interface PageParts {
  /** The creative's own page, as its item names it. */
  readonly document: MediaRequest;
  readonly cache: Pick<MediaCache, "obtain" | "release" | "revalidate" | "knows">;
  readonly absences: Pick<AbsenceBook, keyof AbsenceBook>;
  readonly clock: Clock;
  readonly policy: EgressPolicy;
  readonly limits: PageLimits;
  /** Aborted when the player stops; the page itself may be over before. */
  readonly signal: AbortSignal;
  /** Hears of each request that could not be answered with bytes, and why. */
  readonly onMiss?: (reason: string) => void;
  /** Hears, once for each, what the page is shown without from the next time on: a host, or a font. */
  readonly onAbsent?: (part: string) => void;
  /** Hears, once for each, which limit the page came to: what is beyond it is not there. */
  readonly onLimit?: (limit: string) => void;
}

/** Hardly a server takes longer ones. Chromium does, up to two million characters, and what is had is remembered by its URL. */
const MOST_URL_CHARS = 32 * 1024;

/** How long browsers show no text at all for the sake of a font (CSS Fonts 4, block period); no page waits longer. */
export const FONT_WAIT_MS = 3_000;

/**
 * Answers the requests of one creative from the cache: what is not there is fetched and kept, so that loading the page
 * once records it, and on air or offline the same bytes are played again. When the page is over, what may have changed
 * at its server is brought up to date for the next time.
 */
export class PageCache {
  readonly #parts: PageParts;
  readonly #absences: PageAbsences;
  readonly #budget: PageBudget;
  readonly #held: string[] = [];
  /** What the page has, or is getting: a clip is asked for many times, a range each. */
  readonly #answers = new Map<string, Promise<PageAnswer>>();
  readonly #had: MediaRequest[] = [];
  readonly #control = new AbortController();
  /** Since when each request has brought nothing. */
  readonly #silentSince = new Map<symbol, Instant>();
  readonly #limitsTold = new Set<string>();
  #requests = 0;
  #neededNetwork = false;
  #isGivenUp = false;

  constructor(parts: PageParts) {
    this.#parts = parts;
    this.#budget = new PageBudget(parts.limits.maxBytes);
    this.#absences = new PageAbsences({
      document: parts.document.url,
      book: parts.absences,
      wall: () => parts.clock.wall(),
      onOwn: (part) => parts.onAbsent?.(part),
    });
    parts.signal.addEventListener("abort", this.#callOff, { once: true });
  }

  readonly #callOff = (): void => this.#control.abort(this.#parts.signal.reason);

  /** `destination`: what the request is for (`Request.destination`, `Sec-Fetch-Dest`), or empty where unknown. */
  async answer(method: string, url: string, destination = "", asked = PLAINLY): Promise<PageAnswer> {
    if (method !== "GET" && method !== "HEAD" && asked.query === null) return { kind: "swallowed" };
    const refusal = await this.#refusal(url, asked);
    if (refusal !== null) return this.#miss({ kind: "refused", reason: refusal });
    const part = this.#absences.part(url, destination, asked);
    const had = this.#answers.get(part.url);
    if (had !== undefined) return had;
    const answer = this.#answerAnew(part).catch((error: unknown) => this.#unread(part, String(error)));
    this.#answers.set(part.url, answer);
    void answer.then(({ kind }) => kind !== "media" && this.#answers.delete(part.url));
    return answer;
  }

  /** What the page lacks that holds it back (F23), for people; `null` when it may be shown. */
  lacking(): string | null {
    return this.#absences.lacking();
  }

  /** Whether any answer so far had to be fetched: then the load took longer than the next one will. */
  neededNetwork(): boolean {
    return this.#neededNetwork;
  }

  /** The creative is off its deck: what is under way is called off, what it held may be evicted. One not drawn was given up. */
  close(wasDrawn = true): void {
    this.#isGivenUp = !wasDrawn;
    this.#parts.signal.removeEventListener("abort", this.#callOff);
    this.#control.abort();
    for (const digest of this.#held.splice(0)) this.#parts.cache.release(digest);
    void this.#bringUpToDate();
  }

  async #answerAnew(part: PagePart): Promise<PageAnswer> {
    const { cache } = this.#parts;
    const request = this.#requestFor(part);
    const known = cache.knows(request) || request === this.#parts.document ? null : this.#absences.known(part);
    if (known !== null) return this.#missing(known);
    const requestId = Symbol();
    this.#silentSince.set(requestId, this.#parts.clock.now());
    const outcome = await this.#obtainNow(part, request, requestId);
    if (outcome === "over") return this.#overBudget(part);
    if (outcome.kind === "failed") {
      if (this.#control.signal.aborted) this.#calledOff(part, requestId);
      else if (outcome.deferred) this.#absences.deferred(part, outcome);
      else this.#absences.missed(part, outcome);
      this.#neededNetwork = true;
      return this.#missing(outcome);
    }
    const { media, headers, finalUrl, found } = outcome;
    // A file behind a redirection is asked for once more where that leads.
    const sizeBytes = found && this.#held.includes(media.digest) ? 0 : media.sizeBytes;
    if (this.#control.signal.aborted || !this.#budget.takes(requestId, sizeBytes)) {
      cache.release(media.digest);
      this.#absences.calledOff(part);
      return this.#control.signal.aborted ? this.#missing(CLOSED) : this.#overBudget(part);
    }
    this.#held.push(media.digest);
    this.#had.push(request);
    this.#absences.had(part);
    if (!found) this.#neededNetwork = true;
    if (request === this.#parts.document && finalUrl !== null) this.#absences.redirected(finalUrl);
    return { kind: "media", media, headers, finalUrl };
  }

  /** What the disk does not give, or take, says nothing of its server: the page is not shown without it this time. */
  #unread(part: PagePart, reason: string): PageAnswer {
    const miss: Miss = { reason, transient: true, status: null };
    this.#absences.deferred(part, miss);
    return this.#missing(miss);
  }

  /** While the page waits for it, which for a font is not long. */
  async #obtainNow(part: PagePart, request: MediaRequest, requestId: symbol): Promise<MediaOutcome | "over"> {
    const { clock } = this.#parts;
    if (!part.font) return this.#obtain(request, this.#control.signal, this.#budget, requestId);
    return underControl(this.#control.signal, (control) => {
      const callOffAlarm = clock.alarm(clock.now() + FONT_WAIT_MS, () => control.abort());
      return this.#obtain(request, control.signal, this.#budget, requestId).finally(callOffAlarm);
    });
  }

  /** Called off with its signal, and when the budget is used up: "over". */
  async #obtain(
    request: MediaRequest,
    signal: AbortSignal,
    budget: PageBudget,
    requestId: symbol,
  ): Promise<MediaOutcome | "over"> {
    let over = false;
    const outcome = await underControl(signal, (control) =>
      this.#parts.cache.obtain(request, control.signal, (progress) => {
        if (progress.receivedBytes > 0) this.#silentSince.delete(requestId);
        if (budget.fits(requestId, progress)) return;
        over = true;
        control.abort();
      }),
    );
    return over && outcome.kind === "failed" ? "over" : outcome;
  }

  #calledOff(part: PagePart, requestId: symbol): void {
    const silentSince = this.#silentSince.get(requestId);
    const silentMs = silentSince === undefined ? 0 : this.#parts.clock.now() - silentSince;
    if (this.#isGivenUp && silentMs >= SILENT_MS) this.#absences.missed(part, UNANSWERED);
    else this.#absences.calledOff(part);
  }

  /** One after the other: nobody waits for it. Where it fails, the page as it was is played again. */
  async #bringUpToDate(): Promise<void> {
    const { cache, signal } = this.#parts;
    await Promise.allSettled(this.#answers.values());
    this.#absences.close();
    this.#absences.askedAgain(await this.#askAgain());
    for (const request of this.#had) {
      if (signal.aborted) return;
      await cache.revalidate(request, signal).catch(() => {});
    }
  }

  /** Asks for what the page is shown without, within the limits of one page. */
  async #askAgain(): Promise<{ part: PagePart; miss: Miss | null }[]> {
    const { cache, limits, signal } = this.#parts;
    const budget = new PageBudget(limits.maxBytes);
    const asked: { part: PagePart; miss: Miss | null }[] = [];
    for (const part of this.#absences.toAskAgain()) {
      const outcome = await this.#obtain(this.#requestFor(part), signal, budget, Symbol()).catch(() => "over" as const);
      if (signal.aborted) break;
      if (outcome === "over") continue;
      if (outcome.kind === "failed" && outcome.deferred) continue;
      if (outcome.kind === "kept") cache.release(outcome.media.digest);
      asked.push({ part, miss: outcome.kind === "kept" ? null : outcome });
    }
    return asked;
  }

  async #refusal(url: string, asked: AskedWith): Promise<string | null> {
    const { limits, policy } = this.#parts;
    if (++this.#requests > limits.maxRequests) return this.#beyond(`more than ${limits.maxRequests} requests`);
    if (url.length > MOST_URL_CHARS) return this.#beyond(`URLs of more than ${MOST_URL_CHARS} characters`);
    if (charsOfHeaders(asked) > MOST_HEADER_CHARS)
      return this.#beyond(`more than ${MOST_HEADER_CHARS} characters of headers`);
    return (await mayReach(new URL(url), policy)) ? null : "a private address";
  }

  #overBudget(part: PagePart): PageAnswer {
    const reason = this.#beyond(`more than ${this.#parts.limits.maxBytes} bytes`);
    this.#absences.unfit(part, reason);
    return this.#miss({ kind: "refused", reason });
  }

  #beyond(limit: string): string {
    if (!this.#limitsTold.has(limit)) this.#parts.onLimit?.(limit);
    this.#limitsTold.add(limit);
    return limit;
  }

  #missing({ reason, status, response = null }: Miss): PageAnswer {
    return this.#miss({ kind: "missing", reason, status, response });
  }

  #miss(answer: PageAnswer & { readonly reason: string }): PageAnswer {
    this.#parts.onMiss?.(answer.reason);
    return answer;
  }

  #requestFor({ url, asked }: PagePart): MediaRequest {
    const { document } = this.#parts;
    if (isSamePage(url, document.url) && isPlain(asked)) return document;
    return { url, mimeType: null, sizeBytes: null, md5: null, asked };
  }
}

/** Who has brought nothing for so long keeps a page from being drawn, and counts as absent where it was given up. */
const SILENT_MS = 5_000;
const UNANSWERED: Miss = { reason: "no answer", transient: true, status: null };

/** For what comes when the page is over. */
const CLOSED: Miss = { reason: "called off", transient: true, status: null };
