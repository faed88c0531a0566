import { backoffMs, PROOF_BACKOFF } from "../backoff.ts";
import type { Instant } from "../spot.ts";

/** What came of one GET of a proof-of-play URL (G8). */
export type Delivery =
  /** 2xx, after redirects. */
  | { readonly kind: "accepted" }
  /** 410: the hour is over, as the service says. Asking again would not change it (F8). */
  | { readonly kind: "refused"; readonly status: number }
  /** Any other answer. It may be a firewall's, in the service's place: only a second one like it, later, is final. */
  | { readonly kind: "doubtful"; readonly status: number }
  /** No answer, or one that may be better later: network, TLS, timeout, a captive portal, 407, 408, 425, 429, 5xx. */
  | { readonly kind: "unreachable"; readonly reason: string; readonly retryAfterMs: number | null };

/** What the decision about a proof needs to know of it. Instants are monotonic. */
export interface Proof {
  /** Tries that have come to an end, the one being judged included. */
  readonly attempts: number;
  /** The end of the hour that began when the spot was asked for; nothing is sent from then on (G9). */
  readonly deadline: Instant;
  /** The doubtful answer that it got before, and when that came first; null where it got none. */
  readonly doubt: Doubt | null;
}

/** A doubtful answer, and since when it is known. */
export interface Doubt {
  readonly status: number;
  readonly since: Instant;
}

/** What becomes of a proof after a try to deliver it. */
export type Verdict =
  | { readonly kind: "delivered" }
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "retry"; readonly at: Instant }
  | { readonly kind: "expired" };

/** One after which nothing more is sent. */
export type FinalVerdict = Exclude<Verdict, { kind: "retry" }>;

/** How long after the spot was asked for the service takes a proof (contract, "Limits"). */
export const PROOF_WINDOW_MS = 3_600_000;

/**
 * How long before the deadline the last retry begins: room for a slow answer and a slow clock (F8). A wait that would
 * overshoot is cut to it, so that the hour is used to its end.
 */
export const LAST_TRY_BEFORE_MS = 15_000;

/** A doubtful answer that comes again this long after the first is final: most firewalls have let go by then (G8). */
export const DOUBT_MS = 60_000;

/** The monotonic instant from which a proof is not sent any more, for a spot asked for at `requestedAt` (F7, G9). */
export function deadlineOf(requestedAt: Instant): Instant {
  return requestedAt + PROOF_WINDOW_MS;
}

/**
 * The same for a proof from before the last boot, on this boot's clock. All that tells how much of its hour has passed
 * is the service's time, then and now; but it was asked for before this run began at `begunAt`, whatever clocks say.
 */
export function rebasedDeadline(
  requestedServiceTime: Instant,
  serviceTime: Instant,
  now: Instant,
  begunAt: Instant,
): Instant {
  return Math.min(deadlineOf(now - (serviceTime - requestedServiceTime)), deadlineOf(begunAt));
}

/**
 * Decides what becomes of a proof after one try to deliver it (G8). Waiting past the deadline earns nothing (G9). `random`
 * is in [0, 1) and spreads the wait.
 */
export function judge(proof: Proof, delivery: Delivery, now: Instant, random: number): Verdict {
  switch (delivery.kind) {
    case "accepted":
      return { kind: "delivered" };
    case "refused":
      return { kind: "refused", status: delivery.status };
    case "doubtful": {
      const finalAt = doubtAfter(proof.doubt, delivery.status, now).since + DOUBT_MS;
      return finalAt <= now ? { kind: "refused", status: delivery.status } : retryAt(finalAt, proof, now);
    }
    case "unreachable": {
      const waitMs = Math.max(backoffMs(PROOF_BACKOFF, proof.attempts, random), delivery.retryAfterMs ?? 0);
      return retryAt(now + waitMs, proof, now);
    }
  }
}

/** What is to be remembered of a doubtful answer that came at `now`: another status than before begins anew. */
export function doubtAfter(before: Doubt | null, status: number, now: Instant): Doubt {
  return before?.status === status ? before : { status, since: now };
}

function retryAt(wanted: Instant, { deadline }: Proof, now: Instant): Verdict {
  const at = Math.min(wanted, deadline - LAST_TRY_BEFORE_MS);
  return at > now ? { kind: "retry", at } : { kind: "expired" };
}
