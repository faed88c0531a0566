import type { Wanted } from "./download.ts";
import type { Media, MediaCache } from "./media-cache.ts";
import { mayReach, type ReachPolicy } from "./reach.ts";

/** The answer to one request of an HTML creative. */
export type PageAnswer =
  | { readonly kind: "media"; readonly media: Media }
  /** Answered here, with nothing: beacons and other writes go nowhere. */
  | { readonly kind: "swallowed" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "missing"; readonly reason: string };

/** What one HTML creative may ask for while it is on a deck. */
export interface PageLimits {
  readonly maxRequests: number;
  readonly maxBytes: number;
}

/** What a creative's page is opened with. */
export interface PageParts {
  /** The creative's own page, as its item names it. */
  readonly document: Wanted;
  readonly cache: Pick<MediaCache, "obtain" | "release" | "revalidate">;
  readonly policy: ReachPolicy;
  readonly limits: PageLimits;
  /** Aborted when the player stops; the page itself may be over before. */
  readonly signal: AbortSignal;
  /** Hears of each request that could not be answered with bytes, and why. */
  readonly onMiss?: (reason: string) => void;
}

/**
 * Answers the requests of one creative from the cache: what is not there is fetched and kept, so that loading the page
 * once records it, and on air or offline the same bytes are played again. When the page is over, what may have changed
 * at its server is brought up to date for the next time.
 */
export class PageCache {
  readonly #parts: PageParts;
  readonly #held: string[] = [];
  readonly #answered = new Map<string, Wanted>();
  readonly #control = new AbortController();
  #requests = 0;
  #bytes = 0;
  #lacking: string | null = null;

  constructor(parts: PageParts) {
    this.#parts = parts;
    parts.signal.addEventListener("abort", this.#callOff, { once: true });
  }

  readonly #callOff = (): void => this.#control.abort(this.#parts.signal.reason);

  async answer(method: string, url: string): Promise<PageAnswer> {
    if (method !== "GET" && method !== "HEAD") return { kind: "swallowed" };
    const refusal = await this.#refusal(url);
    if (refusal !== null) return this.#miss({ kind: "refused", reason: refusal });
    const wanted = this.#wantedFor(url);
    const outcome = await this.#parts.cache.obtain(wanted, this.#control.signal);
    if (outcome.kind === "failed") {
      if (outcome.passing) this.#lacking ??= `${url.slice(0, LONGEST_URL)}: ${outcome.reason}`;
      return this.#miss({ kind: "missing", reason: outcome.reason });
    }
    this.#answered.set(wanted.url, wanted);
    this.#held.push(outcome.media.digest);
    this.#bytes += outcome.media.sizeBytes;
    return { kind: "media", media: outcome.media };
  }

  /** What the page lacks because the network failed, for people; `null` when it is as whole as its servers have it. */
  lacking(): string | null {
    return this.#lacking;
  }

  /** The creative is off its deck: what is under way is called off, what it held may be evicted. */
  close(): void {
    this.#parts.signal.removeEventListener("abort", this.#callOff);
    this.#control.abort();
    for (const digest of this.#held.splice(0)) this.#parts.cache.release(digest);
    void this.#bringUpToDate();
  }

  /** One after the other: nobody waits for it. Where it fails, the page as it was is played again. */
  async #bringUpToDate(): Promise<void> {
    const { cache, signal } = this.#parts;
    for (const wanted of this.#answered.values()) {
      if (signal.aborted) return;
      await cache.revalidate(wanted, signal).catch(() => {});
    }
  }

  async #refusal(url: string): Promise<string | null> {
    const { limits, policy } = this.#parts;
    if (++this.#requests > limits.maxRequests) return `more than ${limits.maxRequests} requests`;
    if (this.#bytes > limits.maxBytes) return `more than ${limits.maxBytes} bytes`;
    return (await mayReach(new URL(url), policy)) ? null : "a private address";
  }

  #miss(answer: PageAnswer & { readonly reason: string }): PageAnswer {
    this.#parts.onMiss?.(answer.reason);
    return answer;
  }

  #wantedFor(url: string): Wanted {
    const { document } = this.#parts;
    if (isSamePage(url, document.url)) return document;
    return { url, mimeType: null, sizeBytes: null, md5: null };
  }
}

/** So much of a URL goes into a log. */
const LONGEST_URL = 200;

/** Whether two URLs name one page; a fragment never leaves the browser. */
export function isSamePage(one: string, other: string): boolean {
  const [left, right] = [new URL(one), new URL(other)];
  left.hash = "";
  right.hash = "";
  return left.href === right.href;
}
