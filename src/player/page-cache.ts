import type { Get } from "../client/reply.ts";
import { type Reach, reachOf } from "../core/address.ts";
import type { Wanted } from "./download.ts";
import type { Media, MediaCache } from "./media-cache.ts";

/** Where creatives may reach, beyond the public internet. */
export interface ReachPolicy {
  readonly allowPrivateNetwork: boolean;
  /** Host names, without ports. */
  readonly allowHosts: readonly string[];
  /** Where the service itself lives: creatives may reach as far as that. */
  readonly serviceHost: string;
}

/** The answer to one request of an HTML creative. */
export type PageAnswer =
  | { readonly kind: "media"; readonly media: Media }
  /** Answered here, with nothing: beacons and other writes go nowhere. */
  | { readonly kind: "swallowed" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "missing"; readonly reason: string };

/** One HTML creative may ask for this much while it is on a deck. */
export const MOST_REQUESTS = 300;
export const MOST_BYTES = 64 * 1024 * 1024;

/** Whether a creative may reach the host of a URL; what loops back or is private only as far as the service is. */
export function mayReach(url: URL, policy: ReachPolicy): boolean {
  if (policy.allowPrivateNetwork || policy.allowHosts.includes(url.hostname)) return true;
  const reach = reachOf(url.hostname);
  if (reach === "public") return true;
  return DISTANCE[reach] >= DISTANCE[reachOf(policy.serviceHost)];
}

const DISTANCE: Readonly<Record<Reach, number>> = { loopback: 0, private: 1, public: 2 };

/** A GET that never leaves the policy: followed hop by hop, each redirect is judged too. */
export function confinedTo(policy: ReachPolicy, get: Get): Get {
  return (url, signal) => {
    if (!mayReach(new URL(url), policy)) throw new Error(`creatives may not reach ${new URL(url).hostname}`);
    return get(url, signal);
  };
}

/**
 * Answers the requests of one creative from the cache: what is not there is fetched and kept, so that loading the page
 * once records it, and on air or offline the same bytes are played again.
 */
export class PageCache {
  readonly #document: Wanted;
  readonly #cache: Pick<MediaCache, "obtain" | "release">;
  readonly #policy: ReachPolicy;
  readonly #held: string[] = [];
  readonly #control = new AbortController();
  #requests = 0;
  #bytes = 0;

  /** `document` is the creative's own page, as its item names it. */
  constructor(document: Wanted, cache: Pick<MediaCache, "obtain" | "release">, policy: ReachPolicy) {
    this.#document = document;
    this.#cache = cache;
    this.#policy = policy;
  }

  async answer(method: string, url: string): Promise<PageAnswer> {
    if (method !== "GET" && method !== "HEAD") return { kind: "swallowed" };
    if (++this.#requests > MOST_REQUESTS) return { kind: "refused", reason: `more than ${MOST_REQUESTS} requests` };
    if (this.#bytes > MOST_BYTES) return { kind: "refused", reason: `more than ${MOST_BYTES} bytes` };
    if (!mayReach(new URL(url), this.#policy)) return { kind: "refused", reason: "a private address" };
    const outcome = await this.#cache.obtain(this.#wantedFor(url), this.#control.signal);
    if (outcome.kind === "failed") return { kind: "missing", reason: outcome.reason };
    this.#held.push(outcome.media.digest);
    this.#bytes += outcome.media.sizeBytes;
    return { kind: "media", media: outcome.media };
  }

  #wantedFor(url: string): Wanted {
    if (isSamePage(url, this.#document.url)) return this.#document;
    return { url, mimeType: null, sizeBytes: null, md5: null };
  }

  /** The creative is off its deck: what is under way is called off, what it held may be evicted. */
  close(): void {
    this.#control.abort();
    for (const digest of this.#held.splice(0)) this.#cache.release(digest);
  }
}

/** Whether two URLs name one page; a fragment never leaves the browser. */
export function isSamePage(one: string, other: string): boolean {
  const [left, right] = [new URL(one), new URL(other)];
  left.hash = "";
  right.hash = "";
  return left.href === right.href;
}
