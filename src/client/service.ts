import pRetry from "p-retry";
import type { Delivery } from "../core/proof.ts";
import type { Instant, Spot } from "../core/spot.ts";
import { urlOf } from "../wire/routes.ts";
import { type MalformedItem, readSpot } from "../wire/spot.ts";
import { follow } from "./follow.ts";
import { getBy } from "./get.ts";
import { reasonOf } from "./reason.ts";
import { discard, type Get, type Reply, readText } from "./reply.ts";
import { dateOf, retryAfterMs } from "./retry-after.ts";
import { within } from "./within.ts";

/**
 * What came of a request for a spot; `answered` where there was an answer, whatever it said. `serviceTime` is the service's
 * wall clock, epoch ms, where its answer told it.
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

export interface ServiceOptions {
  readonly baseUrl: string;
  readonly orgToken: string;
  readonly fetch: typeof globalThis.fetch;
  /** For each try of a spot request, its body and redirects included. */
  readonly spotTimeoutMs: number;
  /** For each proof, redirects included (G8). */
  readonly proofTimeoutMs: number;
  /** The wait before a spot request's second try; each later one is twice as long. */
  readonly spotRetryMs?: number;
}

/** A spot is a few kilobytes; more than this is a mistake that must not fill the memory. */
export const LARGEST_SPOT_BYTES = 1024 * 1024;

/** So often is one spot asked for within its slot when the network or the service falters (G7). */
export const SPOT_TRIES = 3;
const SPOT_RETRY_MS = 500;

/** The service over HTTP, for a player. Answers are values; the token is in none of them. */
export class Service {
  readonly #options: ServiceOptions;
  readonly #get: Get;

  constructor(options: ServiceOptions) {
    this.#options = options;
    this.#get = getBy(options.fetch);
  }

  /** Asks for what a screen is to show next (contract, "Get Spot"). Tries again by itself within the slot (G7). */
  async getSpot(screenId: string, signal: AbortSignal): Promise<SpotOutcome> {
    const { baseUrl, orgToken, spotRetryMs = SPOT_RETRY_MS } = this.#options;
    const url = urlOf(baseUrl, "spot", { org_token: orgToken, screen_id: screenId });
    const ask = async () => {
      const answer = await this.#ask(url, signal);
      if (answer.passing) throw new Passing(answer.outcome);
      return answer.outcome;
    };
    try {
      return await pRetry(ask, { retries: SPOT_TRIES - 1, minTimeout: spotRetryMs, randomize: true, signal });
    } catch (error) {
      if (error instanceof Passing) return error.outcome;
      if (signal.aborted) return unanswered("called off");
      throw error;
    }
  }

  /** Sends one proof of play, byte for byte as received (F11); tries once (G8). */
  async sendProof(pop: string, signal: AbortSignal): Promise<Delivery> {
    let reply: Reply;
    try {
      reply = await within(this.#options.proofTimeoutMs, signal, (raised) => follow(this.#get, pop, raised));
    } catch (error) {
      return { kind: "unreachable", reason: signal.aborted ? "called off" : reasonOf(error), retryAfterMs: null };
    }
    // The status is the answer: a body that hangs must not turn an accepted proof into one that is sent again.
    await discard(reply);
    return deliveryOf(reply);
  }

  async #ask(url: string, signal: AbortSignal): Promise<Answer> {
    let reply: Reply;
    let text: string | null = "";
    try {
      [reply, text] = await within(this.#options.spotTimeoutMs, signal, async (raised) => {
        const last = await follow(this.#get, url, raised);
        return [last, succeeded(last.status) ? await readText(last, LARGEST_SPOT_BYTES) : ""] as const;
      });
    } catch (error) {
      return { outcome: unanswered(reasonOf(error)), passing: true };
    }
    if (succeeded(reply.status)) return { outcome: spotOf(text, dateOf(reply.headers)), passing: false };
    await discard(reply);
    const outcome = outcomeOf(reply);
    // A service that names a wait is not asked again before it, so not within this slot.
    return { outcome, passing: outcome.kind === "unavailable" && outcome.retryAfterMs === null && reply.status >= 400 };
  }
}

interface Answer {
  readonly outcome: SpotOutcome;
  /** Worth another try within the slot. */
  readonly passing: boolean;
}

/** Carries an outcome worth another try through p-retry, which retries what is thrown. */
class Passing extends Error {
  readonly outcome: SpotOutcome;

  constructor(outcome: SpotOutcome) {
    super(outcome.kind);
    this.outcome = outcome;
  }
}

function spotOf(text: string | null, serviceTime: Instant | null): SpotOutcome {
  if (text === null) return unavailable(`the answer is longer than ${LARGEST_SPOT_BYTES} bytes`, serviceTime);
  const told = { answered: true, serviceTime };
  if (text === "") return { kind: "empty", malformed: [], ...told };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return unavailable("the answer is not JSON", serviceTime);
  }
  const reading = readSpot(body);
  if (reading.kind === "unreadable") return unavailable(`the answer is not a spot: ${reading.problem}`, serviceTime);
  return { ...reading, ...told };
}

/** What a status other than 2xx says about a request for a spot; the body is never asked (A2). */
function outcomeOf({ status, headers }: Reply): SpotOutcome {
  const serviceTime = dateOf(headers);
  const told = { answered: true, serviceTime };
  if (status === 429) return { kind: "limited", retryAfterMs: retryAfterMs(headers), ...told };
  if (status === 401 || status === 403 || status === 404) return { kind: "denied", status, ...told };
  if (isPassing(status)) return unavailable(`HTTP ${status}`, serviceTime, retryAfterMs(headers));
  if (status < 400) return unavailable(`redirected too often or nowhere (HTTP ${status})`, serviceTime);
  return { kind: "refused", status, ...told };
}

function deliveryOf({ status, headers }: Reply): Delivery {
  if (succeeded(status)) return { kind: "accepted" };
  if (status !== 429 && !isPassing(status)) return { kind: "refused", status };
  return { kind: "unreachable", reason: `HTTP ${status}`, retryAfterMs: retryAfterMs(headers) };
}

function succeeded(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Statuses that may be different next time (G7, G8); 429 is one too, but named apart. */
function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status >= 500;
}

function unavailable(reason: string, serviceTime: Instant | null, waitMs: number | null = null): SpotOutcome {
  return { kind: "unavailable", reason, retryAfterMs: waitMs, answered: true, serviceTime };
}

function unanswered(reason: string): SpotOutcome {
  return { kind: "unavailable", reason, retryAfterMs: null, answered: false, serviceTime: null };
}
