import type { Instant, ItemKind } from "../../core/spot.ts";

/** What a call of a proof-of-play URL comes to. `unknown` is for a URL that no spot has. */
export type PopVerdict = "counted" | "duplicate" | "early" | "late" | "unknown";

/** One answer to a request for an item's media: when it was asked for, the bytes sent, whether they reach its end. */
export interface MediaRecord {
  readonly at: Instant;
  bytes: number;
  complete: boolean;
}

/** One call of an item's proof-of-play URL. */
export interface PopRecord {
  readonly at: Instant;
  readonly status: number;
  readonly verdict: PopVerdict;
}

/** An item as it was served. `popPath`: path and query of its proof-of-play URL, to the byte (F10). */
export interface LedgerItem {
  readonly id: string;
  readonly url: string;
  readonly popPath: string;
  /** The earliest instant at which it can have been shown in full, after the item that comes before it. */
  readonly shownAt: Instant;
  media: readonly MediaRecord[];
  pops: readonly PopRecord[];
}

/** What the paths of proof-of-play URLs begin with. */
export const POP_PATH = "/pop/";

/** What an item has until it is asked for: one list for all of them, and each record makes a list that is just as long. */
export const NO_RECORDS: readonly never[] = [];

/** A spot as it was served. Organizations may have screens of the same id, so both name one (A17). */
export interface LedgerSpot {
  readonly requestId: string;
  readonly orgToken: string;
  readonly screenId: string;
  readonly issuedAt: Instant;
  readonly newsFirst: boolean;
  readonly billable: boolean;
  readonly news: LedgerItem | null;
  readonly ad: LedgerItem | null;
}

/** Every spot served, oldest first. Plain values and maps, so that it can be kept and brought back. */
export interface Ledger {
  /** The most spots kept. */
  readonly most: number;
  readonly spots: Map<string, LedgerSpot>;
  /** The spot of each proof-of-play URL, by path and query. */
  readonly pops: Map<string, LedgerSpot>;
  /** The item that was served last with a media URL: the one that a request for it is put down to. */
  readonly latest: Map<string, LedgerItem>;
}

/** The most spots kept unless somebody says otherwise, an hour of 200 screens at one spot every 15 s; the oldest give way. */
export const MOST_SPOTS = 48_000;
/** The most that anybody can ask for: a map has no room for twice as many proof-of-play URLs and more. */
export const LARGEST_LEDGER = 5_000_000;
/** This part of them is removed at once: a map finds its first entry more slowly the more were removed from its front. */
const GIVING_WAY = 1 / 48;
/** The most media requests and proof-of-play calls kept for one item; later ones are answered and not kept. */
export const MOST_RECORDS = 100;

/** The proof-of-play window, from the receipt of the spot request; its last millisecond is inside (F7). */
export const PROOF_WINDOW_MS = 3_600_000;

/** An empty ledger that keeps so many spots at most, 1 to `LARGEST_LEDGER`. */
export function newLedger(most = MOST_SPOTS): Ledger {
  return { most, spots: new Map(), pops: new Map(), latest: new Map() };
}

/** Enters a spot, and drops the oldest of too many: their proof-of-play URLs become unknown. */
export function enter(ledger: Ledger, spot: LedgerSpot): void {
  ledger.spots.set(spot.requestId, spot);
  for (const item of [spot.news, spot.ad]) {
    if (item === null) continue;
    ledger.pops.set(item.popPath, spot);
    ledger.latest.set(item.url, item);
  }
  if (ledger.spots.size <= ledger.most) return;
  const left = Math.floor(ledger.most * (1 - GIVING_WAY));
  for (const oldest of ledger.spots.values()) {
    if (ledger.spots.size <= Math.max(1, left)) break;
    forget(ledger, oldest);
  }
}

/** The spot whose proof-of-play URL has this path and query, and of which item it is; `null` when no spot has. */
export function servedWith(
  ledger: Ledger,
  popPath: string,
): { spot: LedgerSpot; kind: ItemKind; item: LedgerItem } | null {
  const spot = ledger.pops.get(popPath);
  if (spot === undefined) return null;
  const kind = spot.news?.popPath === popPath ? "news" : "ad";
  const item = spot[kind];
  return item === null ? null : { spot, kind, item };
}

/** Judges and records a call of a proof-of-play URL. `popPath`: path and query as they were sent. */
export function provePlay(
  ledger: Ledger,
  popPath: string,
  at: Instant,
  early: "accept" | "refuse" = "accept",
): { verdict: PopVerdict; status: number; spot: LedgerSpot | null } {
  const served = servedWith(ledger, popPath);
  if (served === null) return { verdict: "unknown", status: 404, spot: null };
  const { spot, item } = served;
  const verdict = judgePop({ issuedAt: spot.issuedAt, shownAt: earliestShown(spot, item), proved: isProved(item) }, at);
  const record = { at, status: popStatus(verdict, early), verdict };
  // The proof itself must never be crowded out by calls that came too early, too late or twice.
  if (isProof(record) || item.pops.length < MOST_RECORDS) item.pops = [...item.pops, record];
  return { verdict, status: record.status, spot };
}

/**
 * When an item can have been shown in full: right away where the one before it was skipped. That one was shown, and took
 * its time, when there is a proof of it by now (F12).
 */
export function earliestShown({ issuedAt, newsFirst, news, ad }: LedgerSpot, item: LedgerItem): Instant {
  const first = newsFirst ? news : ad;
  if (first === null || first === item || isProved(first)) return item.shownAt;
  return issuedAt + (item.shownAt - first.shownAt);
}

/** Opens the record of a media request that is about to be answered; `null` when no spot has had the URL. */
export function recordMedia(ledger: Ledger, url: string, at: Instant): MediaRecord | null {
  const item = ledger.latest.get(url);
  if (item === undefined || item.media.length >= MOST_RECORDS) return null;
  const record = { at, bytes: 0, complete: false };
  item.media = [...item.media, record];
  return record;
}

/** `proved` when every item has an accepted proof, else `open` until the hour is over and then `lapsed` (F13). */
export function spotState(spot: LedgerSpot, now: Instant): "open" | "proved" | "lapsed" {
  const items = [spot.news, spot.ad].filter((item) => item !== null);
  if (items.length > 0 && items.every(isProved)) return "proved";
  return now - spot.issuedAt <= PROOF_WINDOW_MS ? "open" : "lapsed";
}

/** What decides about a proof: when the spot was issued and when its item can first have been shown in full. */
interface Provable {
  readonly issuedAt: Instant;
  readonly shownAt: Instant;
  /** Whether a proof has been accepted before. */
  readonly proved: boolean;
}

/** Judges one call of an item's proof-of-play URL (F7-F9, F12). */
function judgePop({ issuedAt, shownAt, proved }: Provable, now: Instant): PopVerdict {
  if (now - issuedAt > PROOF_WINDOW_MS) return "late";
  if (proved) return "duplicate";
  return now < shownAt ? "early" : "counted";
}

/** The status that a verdict is answered with (A3, F8-F10); whether an early proof is taken is a switch (F12). */
function popStatus(verdict: PopVerdict, early: "accept" | "refuse"): 200 | 400 | 404 | 410 {
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

function isProved(item: LedgerItem): boolean {
  return item.pops.some(isProof);
}

/** An early proof that was refused is none (F12). */
function isProof({ verdict, status }: PopRecord): boolean {
  return verdict === "counted" || (verdict === "early" && status === 200);
}

function forget(ledger: Ledger, spot: LedgerSpot): void {
  ledger.spots.delete(spot.requestId);
  for (const item of [spot.news, spot.ad]) {
    if (item === null) continue;
    ledger.pops.delete(item.popPath);
    if (ledger.latest.get(item.url) === item) ledger.latest.delete(item.url);
  }
}
