import { createHash } from "node:crypto";
import type { RoundTrip } from "../core/network/service-offset.ts";
import type { Delivery } from "../core/proofs/proof.ts";
import type { Instant, Spot } from "../core/spot.ts";
import { urlOf } from "../wire/routes.ts";
import { type MalformedItem, readSpot } from "../wire/spot.ts";
import { retryWhile } from "./exchange.ts";
import {
  discard,
  type ExactGet,
  exactGetBy,
  type FollowedReply,
  follow,
  type Get,
  getBy,
  isTransient,
  type Reply,
  readText,
  succeeded,
  within,
} from "./http.ts";
import {
  dateOf,
  isHtml,
  isPortals,
  isSameHost,
  PROXY_LOGIN_STATUS,
  reasonOf,
  retryAfterMs,
  type ToldTime,
  toldTime,
  WANTS_LOGIN,
} from "./reply.ts";

/**
 * What came of a request for a spot; `answered` where the service itself answered with a 2xx that can be read, and only
 * then is `serviceTime` its wall clock, epoch ms, or null where it did not tell it (G13).
 */
export type SpotOutcome = { readonly answered: boolean; readonly serviceTime: Instant | null } & (
  | { readonly kind: "spot"; readonly spot: Spot; readonly malformed: readonly MalformedItem[] }
  /** Nothing to show (F1): 204, an empty body, neither news nor ad, or none that can be played (F18). */
  | { readonly kind: "empty"; readonly malformed: readonly MalformedItem[] }
  /** 429 (A14). */
  | { readonly kind: "limited"; readonly retryAfterMs: number | null }
  /** 401, 403 or 404: the token or the screen is wrong; asking soon again does not help (G7). */
  | { readonly kind: "denied"; readonly status: number }
  /** No answer, or none that is a spot; asking again may help. */
  | { readonly kind: "unavailable"; readonly reason: string; readonly retryAfterMs: number | null }
  /** Any other 4xx. */
  | { readonly kind: "refused"; readonly status: number }
);

export interface SpotClientOptions {
  /** Empty where only proofs are sent, to their own URLs. */
  readonly baseUrl: string;
  readonly orgToken: string;
  readonly fetch: typeof globalThis.fetch;
  /** Sends the URLs that `fetch` would write otherwise; straight to the host by default. */
  readonly exactGet?: ExactGet;
  /** For each try of a spot request, its body and redirects included. */
  readonly spotTimeoutMs: number;
  /** For each proof, redirects included (G8). */
  readonly proofTimeoutMs: number;
  /**
   * Whether a redirect of a proof may lead from its own URL to another; everywhere by default. The URL itself is
   * the service's own word, and is called wherever it leads: refusing it would lose what was shown.
   */
  readonly mayFollow?: (pop: URL, to: URL) => Promise<boolean>;
  /** The wait before a spot request's second try; each later one is twice as long. */
  readonly spotRetryMs?: number;
  /** Hears of each answer of the service's own to a spot request when it was asked for and came, and its `Date` (G13). */
  readonly onTime?: (time: Instant | null, span: RoundTrip) => void;
  /** The monotonic clock by which `onTime` is told; this process's by default. */
  readonly now?: () => Instant;
}

/** A spot is a few kilobytes; more than this is a mistake that must not fill the memory. */
export const LARGEST_SPOT_BYTES = 1024 * 1024;

/** How often one spot is asked for within its slot when the network or the service falters (G7). */
export const SPOT_TRIES = 3;
const SPOT_RETRY_MS = 500;

/** The service over HTTP, for a player. Answers are values; the token is in none of them. */
export class SpotClient {
  readonly #options: SpotClientOptions;
  readonly #get: Get;
  readonly #getPop: Get;
  #meetsPortal = false;
  #asking: Promise<boolean> | null = null;

  constructor(options: SpotClientOptions) {
    this.#options = options;
    this.#get = getBy(options.fetch);
    this.#getPop = exactGetBy(options.fetch, options.exactGet);
  }

  /** Whether the last answer to a request for a spot was a captive portal's. */
  get meetsPortal(): boolean {
    return this.#meetsPortal;
  }

  /** Asks for what a screen is to show next (contract, "Get Spot"). Tries again by itself within the slot (G7). */
  async getSpot(screenId: string, signal: AbortSignal): Promise<SpotOutcome> {
    const { baseUrl, orgToken, spotRetryMs = SPOT_RETRY_MS } = this.#options;
    const url = urlOf(baseUrl, "spot", { org_token: orgToken, screen_id: screenId });
    const tries = { most: SPOT_TRIES, firstWaitMs: spotRetryMs };
    const answer = await retryWhile(
      () => this.#ask(url, signal),
      (one) => one.isTransient,
      tries,
      signal,
    );
    return answer?.outcome ?? unavailable("called off");
  }

  /** Sends one proof of play, byte for byte as received (F11); tries once (G8). */
  async sendProof(pop: string, signal: AbortSignal): Promise<Delivery> {
    let reply: FollowedReply;
    try {
      const get = this.#withinPolicy(pop);
      reply = await within(this.#options.proofTimeoutMs, signal, (raised) => follow(get, pop, raised));
    } catch (error) {
      if (error instanceof RedirectDenied) return unreachable("redirected out of reach");
      return unreachable(signal.aborted ? "called off" : reasonOf(error));
    }
    // The status is the answer: a body that hangs must not turn an accepted proof into one that is sent again.
    const beginning = await discard(reply);
    return (await this.#isOfPortal(pop, reply, beginning, signal)) ? unreachable(PORTAL) : deliveryOf(reply);
  }

  /** A GET that goes from a proof's URL only where its redirects may lead. */
  #withinPolicy(pop: string): Get {
    const { mayFollow } = this.#options;
    if (mayFollow === undefined) return this.#getPop;
    return async (url, signal, headers) => {
      if (url !== pop && !(await mayFollow(new URL(pop), new URL(url)))) throw new RedirectDenied();
      return this.#getPop(url, signal, headers);
    };
  }

  /**
   * A captive portal can answer in place of `http:` hosts only. It mostly redirects the request to a page of its own on another
   * host; one that answers with the page itself is known by what spots meet (G8), and before they met it by asking. A filter that
   * looks into TLS answers in place of any host. Many servers answer proofs with pages: it counts where both tell of it.
   */
  async #isOfPortal(pop: string, reply: FollowedReply, beginning: string, signal: AbortSignal): Promise<boolean> {
    if (!isHtml(reply, beginning)) return false;
    if (!/^http:/i.test(pop)) return this.#meetsPortal && !(await this.#isThere(signal));
    if (this.#meetsPortal || !isSameHost(pop, reply.url)) return true;
    return succeeded(reply.status) && !(await this.#isThere(signal));
  }

  /** Whether the service itself answers, asked for what needs nothing but the token. However many ask, it is asked once. */
  #isThere(signal: AbortSignal): Promise<boolean> {
    const { baseUrl, orgToken, proofTimeoutMs } = this.#options;
    if (baseUrl === "") return Promise.resolve(true);
    const url = urlOf(baseUrl, "venueTypes", { org_token: orgToken });
    const ask = async () => {
      const reply = await within(proofTimeoutMs, signal, (raised) => follow(this.#get, url, raised));
      return !isPortals(url, reply, await discard(reply));
    };
    this.#asking ??= ask()
      .catch(() => false)
      .finally(() => {
        this.#asking = null;
      });
    return this.#asking;
  }

  async #ask(url: string, signal: AbortSignal): Promise<Answer> {
    let reply: FollowedReply;
    let text: string | null = "";
    let at = url;
    const { now = () => performance.now(), onTime } = this.#options;
    // Of the last of several: redirects are followed one by one.
    let span = { sentAt: 0, heardAt: 0 };
    const get: Get = async (next, ...rest) => {
      at = next;
      const sentAt = now();
      const answer = await this.#get(next, ...rest);
      span = { sentAt, heardAt: now() };
      return answer;
    };
    try {
      [reply, text] = await within(this.#options.spotTimeoutMs, signal, async (raised) => {
        const last = await follow(get, url, raised);
        return [last, succeeded(last.status) ? await readText(last, LARGEST_SPOT_BYTES) : ""] as const;
      });
    } catch (error) {
      if (!signal.aborted && !isSameHost(url, at)) return this.#portal();
      return { outcome: unavailable(reasonOf(error)), isTransient: true };
    }
    if (!succeeded(reply.status)) await discard(reply);
    const told = toldTime(url, reply.url, reply);
    const outcome = succeeded(reply.status) ? spotOf(text, told, reply) : outcomeOf(reply);
    const isReadable = outcome.kind === "spot" || (outcome.kind === "empty" && (told !== null || text !== ""));
    if (!isReadable && isPortals(url, reply, text ?? "")) return this.#portal();
    this.#meetsPortal = false;
    if (outcome.answered) onTime?.(outcome.serviceTime, span);
    if (succeeded(reply.status)) return { outcome, isTransient: false };
    // A service that names a wait is not asked again before it, so not within this slot.
    return {
      outcome,
      isTransient: outcome.kind === "unavailable" && outcome.retryAfterMs === null && reply.status >= 400,
    };
  }

  /** A portal stays until somebody has logged in: it is not asked again within the slot. */
  #portal(): Answer {
    this.#meetsPortal = true;
    return { outcome: unavailable(PORTAL), isTransient: false };
  }
}

/** The reason that is told where a captive portal answers. */
const PORTAL = "captive portal";

interface Answer {
  readonly outcome: SpotOutcome;
  /** Worth another try within the slot. */
  readonly isTransient: boolean;
}

/** Ends a proof's way where a redirect may not lead. It may lead elsewhere the next time, as a captive portal's does. */
class RedirectDenied extends Error {}

/** Who answers with a spot is the service, wherever redirects led to it: no portal has any (G13). */
function spotOf(text: string | null, told: ToldTime | null, { headers }: Reply): SpotOutcome {
  if (text === null) return unavailable(`the answer is longer than ${LARGEST_SPOT_BYTES} bytes`);
  const own = { answered: told !== null, serviceTime: told?.time ?? null };
  if (text.trim() === "") return { kind: "empty", malformed: [], ...own };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return unavailable("the answer is not JSON");
  }
  const reading = readSpot(body);
  if (reading.kind === "unreadable") return unavailable(`the answer is not a spot: ${reading.problem}`);
  return { ...reading, ...(reading.kind === "spot" ? { answered: true, serviceTime: dateOf(headers) } : own) };
}

/** What a status other than 2xx says about a request for a spot; the body is never asked (A2). */
function outcomeOf({ status, headers }: Reply): SpotOutcome {
  if (status === 429) return { kind: "limited", retryAfterMs: retryAfterMs(headers), ...NOT_TOLD };
  if (status === 401 || status === 403 || status === 404) return { kind: "denied", status, ...NOT_TOLD };
  if (status === PROXY_LOGIN_STATUS) return unavailable(WANTS_LOGIN);
  if (isTransient(status)) return unavailable(`HTTP ${status}`, retryAfterMs(headers));
  if (status < 400) return unavailable(`redirected too often or nowhere (HTTP ${status})`);
  return { kind: "refused", status, ...NOT_TOLD };
}

/** What a proof's last answer means (G8). */
function deliveryOf({ status, headers }: Reply): Delivery {
  if (succeeded(status)) return { kind: "accepted" };
  if (status === 410) return { kind: "refused", status };
  // A proxy that stands in the way unasked answers in the service's place.
  if (status === PROXY_LOGIN_STATUS) return unreachable(WANTS_LOGIN);
  if (status === 429 || isTransient(status)) return unreachable(`HTTP ${status}`, retryAfterMs(headers));
  return { kind: "doubtful", status };
}

/** Whoever answered said nothing that tells the service's time (G13). */
const NOT_TOLD = { answered: false, serviceTime: null } as const;

function unavailable(reason: string, waitMs: number | null = null): SpotOutcome {
  return { kind: "unavailable", reason, retryAfterMs: waitMs, ...NOT_TOLD };
}

function unreachable(reason: string, waitMs: number | null = null): Delivery {
  return { kind: "unreachable", reason, retryAfterMs: waitMs };
}

/** How a proof-of-play URL is named in logs and on pages: its host and a short hash, never the URL itself (F11). */
export function popLabel(pop: string): string {
  const hash = createHash("sha256").update(pop).digest("hex").slice(0, 8);
  return `${URL.canParse(pop) ? new URL(pop).host : "not a URL"}#${hash}`;
}
