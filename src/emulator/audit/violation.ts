import type { Instant, ItemKind } from "../../core/spot.ts";
import type { LedgerItem, LedgerSpot } from "../spot/ledger.ts";
import type { OddPop } from "./odd-pops.ts";

/** What a network would call a billing violation. */
export type ViolationName =
  | "early-pop"
  | "late-pop"
  | "duplicate-after-success"
  | "altered-pop"
  | "wrong-order"
  | "overlap"
  | "over-requesting"
  | "low-proof-rate";

/** One of them, when it happened, and what it is about as far as that is known. */
export interface Violation {
  readonly name: ViolationName;
  readonly at: Instant;
  readonly screenId: string | null;
  readonly requestId: string | null;
  readonly kind: ItemKind | null;
  readonly detail: string;
}

/** What the auditor looks at. */
export interface AuditFacts {
  /** In the order in which they were issued. */
  readonly spots: readonly LedgerSpot[];
  readonly oddPops: readonly OddPop[];
  readonly now: Instant;
  /** How many physical screens play what a screen is served. */
  amountOf(screenId: string): number;
}

/** An item that was served, with the calls of its proof-of-play URL that a fault got into the way of. */
export interface Audited {
  readonly spot: LedgerSpot;
  readonly kind: ItemKind;
  readonly item: LedgerItem;
  /** When each came in. */
  readonly spoiltAt: readonly Instant[];
}

/** The items of a spot in the order in which they are to be shown. */
export function itemsOf(spot: LedgerSpot, spoilt: ReadonlyMap<string, readonly Instant[]>): Audited[] {
  const order = spot.newsFirst ? (["news", "ad"] as const) : (["ad", "news"] as const);
  return order.flatMap((kind) => {
    const item = spot[kind];
    return item === null ? [] : [{ spot, kind, item, spoiltAt: spoilt.get(item.popPath) ?? [] }];
  });
}

/** Whether a proof for the item was accepted. */
export function isProved({ item }: Audited): boolean {
  return item.pops.some(({ status, verdict }) => status === 200 && verdict !== "duplicate");
}

/** When a proof for the item was first tried, whatever became of that: a retry says nothing about when it was shown. */
export function firstTried({ item, spoiltAt }: Audited): Instant {
  return Math.min(...item.pops.map(({ at }) => at), ...spoiltAt);
}

/** A violation about an item. */
export function about({ spot, kind }: Audited, name: ViolationName, at: Instant, detail: string): Violation {
  return { name, at, screenId: spot.screenId, requestId: spot.requestId, kind, detail };
}
