import type { Instant } from "../../core/spot.ts";

/** What a call of a proof-of-play URL comes to. `unknown` is for a URL that no spot has. */
export type PopVerdict = "counted" | "duplicate" | "early" | "late" | "unknown";

/** The proof-of-play window, from the receipt of the spot request; its last millisecond is inside (F7). */
export const PROOF_WINDOW_MS = 3_600_000;

/** What decides about a proof: when the spot was issued and when its item can first have been shown in full. */
export interface Provable {
  readonly issuedAt: Instant;
  readonly shownAt: Instant;
  /** Whether a proof has been accepted before. */
  readonly proved: boolean;
}

/** Judges one call of an item's proof-of-play URL (F7-F9, F12). */
export function judgePop({ issuedAt, shownAt, proved }: Provable, now: Instant): PopVerdict {
  if (now - issuedAt > PROOF_WINDOW_MS) return "late";
  if (proved) return "duplicate";
  return now < shownAt ? "early" : "counted";
}

/** The status that a verdict is answered with (A3, F8-F10); whether an early proof is taken is a switch (F12). */
export function popStatus(verdict: PopVerdict, early: "accept" | "refuse"): 200 | 400 | 404 | 410 {
  switch (verdict) {
    case "counted":
    case "duplicate":
      return 200;
    case "early":
      return early === "accept" ? 200 : 400;
    case "late":
      return 410;
    case "unknown":
      return 404;
  }
}
