import type { Instant } from "../../core/spot.ts";
import { type Call, LONGEST_PATH } from "../http/journal.ts";

/** A call of a proof-of-play URL that the ledger cannot tell of: no spot has the URL, or a fault got into its way. */
export interface OddPop {
  readonly kind: "altered" | "spoilt";
  readonly at: Instant;
  /** Path and query as they were sent. */
  readonly path: string;
}

/** The most of them kept, a day of them at one every 15 s and more; the oldest give way. */
const MOST_ODD_POPS = 10_000;

/** Keeps a call of the journal if it is one of those, for as long as the ledger is kept. */
export function keepOddPop(oddPops: OddPop[], { route, status, fault, at, path }: Call): void {
  if (route !== "pop" || path.length >= LONGEST_PATH || (status !== 404 && fault === null)) return;
  oddPops.push({ kind: fault === null ? "altered" : "spoilt", at, path });
  if (oddPops.length > MOST_ODD_POPS) oddPops.splice(0, oddPops.length - MOST_ODD_POPS);
}
