import type { Instant, ItemKind, PlayoutOutcome } from "../../src/core/spot.ts";
import type { ProofRow } from "./proof-rows.ts";

/** One item that the network offered in a spot, and all that is known of it from outside the player. */
export interface Offer {
  /** The whole URL. */
  readonly pop: string;
  readonly requestId: string;
  readonly kind: ItemKind;
  /** In its spot, from 0. */
  readonly place: number;
  readonly durationMs: number;
  /** When the request for its spot left the player. */
  readonly askedAt: Instant;
  /** The answer as it reached the player makes nothing of it. */
  malformed: boolean;
  paintedAt: Instant | null;
  /** When its deck was gone from sight. */
  clearedAt: Instant | null;
  /** Its deck broke before its turn was over. */
  broke: boolean;
  end: PlayoutOutcome | null;
  endedAt: Instant;
  /** What was to be written when the item ended: a disk that takes nothing keeps it in memory. */
  endedWithDisk: Disk;
  /** The run in which it ended. */
  run: number;
  /** Of tries to prove it: the run that has one under way, and how the last that was heard ended. */
  trying: number | null;
  heard: { readonly run: number; readonly at: Instant; readonly status: number; readonly disk: Disk } | null;
  /** The answer that is final only when it comes again, and when it came first in its run. */
  doubt: { readonly status: number; readonly run: number; readonly at: Instant } | null;
  hops: number;
  tries: number;
  firstTriedAt: Instant;
  /** Some fault, or a crash, was in the way of each try so far. */
  spoilt: boolean;
  /** Damage to the proofs' file struck where it was kept. */
  damaged: boolean;
  state: ProofRow["state"] | null;
}

/** Whether the disk takes what is written. */
export type Disk = "sound" | "refusing";

/** A run of the player, as far as the books care. */
export interface RunFacts {
  readonly number: number;
  readonly startedAt: Instant;
  /** When it vanished without closing, or null. */
  crashedAt: Instant | null;
}
