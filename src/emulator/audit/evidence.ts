import { LONGEST_BLOCK_MS } from "../../core/backoff.ts";
import type { Instant, ItemKind } from "../../core/spot.ts";
import { type Call, LONGEST_PATH } from "../http/journal.ts";
import { type LedgerItem, type LedgerSpot, PROOF_WINDOW_MS } from "../spot/ledger.ts";

/** A call of a proof-of-play URL that the ledger cannot tell of: no spot has the URL, or a fault got into its way. */
export interface RejectedPop {
  readonly kind: "altered" | "spoilt";
  readonly at: Instant;
  /** Path and query as they were sent. */
  readonly path: string;
  /** What the fault answered in the network's place, 0 for nothing; `null` where the network answered itself. */
  readonly failed: { readonly status: number; readonly fault: string } | null;
}

/**
 * A fault that can keep an item from the screen: it struck the answer with its spot (`what` is the request id), a file
 * (its whole URL), or the item itself (path and query of its proof-of-play URL).
 */
export interface Hindrance {
  readonly at: Instant;
  readonly what: string;
}

/** When each thing was struck. */
type Hindrances = ReadonlyMap<string, readonly Instant[]>;

/** The most odd pops and the most hindrances kept, a day of one every 15 s and more; the oldest give way. */
const MOST_KEPT = 10_000;

/** Keeps a call of the journal if it is an odd pop, for as long as the ledger is kept. */
export function keepRejectedPop(
  rejectedPops: RejectedPop[],
  { route, status, fault, at, path, requestId }: Call,
): void {
  if (route !== "pop" || path.length >= LONGEST_PATH || (status !== 404 && fault === null)) return;
  const failed = fault === null || requestId !== null ? null : { status, fault };
  rejectedPops.push({ kind: fault === null ? "altered" : "spoilt", at, path, failed });
  if (rejectedPops.length > MOST_KEPT) rejectedPops.splice(0, rejectedPops.length - MOST_KEPT);
}

/** The odd pops of each URL, oldest first. */
export function byPath(rejectedPops: readonly RejectedPop[]): ReadonlyMap<string, readonly RejectedPop[]> {
  const found = new Map<string, RejectedPop[]>();
  for (const rejectedPop of rejectedPops) {
    const others = found.get(rejectedPop.path);
    if (others === undefined) found.set(rejectedPop.path, [rejectedPop]);
    else others.push(rejectedPop);
  }
  return found;
}

/** Keeps that something was struck. */
export function keepHindrance(hindrances: Hindrance[], hindrance: Hindrance): void {
  hindrances.push(hindrance);
  if (hindrances.length > MOST_KEPT) hindrances.splice(0, hindrances.length - MOST_KEPT);
}

/** A file is also a part of each page in whose folder it lies. */
export function hindrancesByWhat(hindrances: readonly Hindrance[]): Hindrances {
  const struck = new Map<string, Instant[]>();
  for (const { what, at } of hindrances) {
    for (const key of [what, ...foldersOf(what)]) {
      const times = struck.get(key);
      if (times === undefined) struck.set(key, [at]);
      else times.push(at);
    }
  }
  return struck;
}

/**
 * Whether a fault explains that an item was not shown: it struck the item, its spot, or its file or a part of its page
 * within the hour of the proof or the day before, for which a player may leave alone what it found broken, too large or
 * not as promised.
 */
function isHindered(struck: Hindrances, { requestId, issuedAt }: LedgerSpot, item: LedgerItem): boolean {
  if (struck.has(requestId) || struck.has(item.popPath)) return true;
  const times = [...(struck.get(item.url) ?? []), ...(struck.get(ownFolderOf(item.url)) ?? [])];
  return times.some((at) => at >= issuedAt - LONGEST_BLOCK_MS && at <= issuedAt + PROOF_WINDOW_MS);
}

/** A page that is called index has its folder to itself; everything else lies beside others. */
function ownFolderOf(url: string): string {
  return /^(.*\/)index\.html?(?:[?#].*)?$/.exec(url)?.[1] ?? "";
}

/** Those in which a file lies, as in `http://host/a/b/`. */
function foldersOf(url: string): string[] {
  const [origin, ...steps] = /^(https?:\/\/[^/]+)(\/[^?#]*)/.exec(url)?.slice(1) ?? [];
  if (origin === undefined) return [];
  const names = steps.join("").split("/").slice(0, -1);
  return names.map((_, index) => `${origin}${names.slice(0, index + 1).join("/")}/`);
}

/** What a network would call a billing violation. */
type ViolationName =
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
  readonly orgToken: string | null;
  readonly screenId: string | null;
  readonly requestId: string | null;
  readonly kind: ItemKind | null;
  readonly detail: string;
}

/** What names a screen: organizations may have screens of the same id (A17). */
export type ScreenName = Pick<LedgerSpot, "orgToken" | "screenId">;

/** What the auditor looks at. */
export interface AuditFacts {
  /** In the order in which they were issued. */
  readonly spots: readonly LedgerSpot[];
  readonly rejectedPops: readonly RejectedPop[];
  readonly hindrances: readonly Hindrance[];
  readonly now: Instant;
  /** How many physical screens play what a screen is served. */
  amountOf(screen: ScreenName): number;
}

/** An item that was served, with the calls of its proof-of-play URL that a fault got into the way of. */
export interface Audited {
  readonly spot: LedgerSpot;
  readonly kind: ItemKind;
  readonly item: LedgerItem;
  /** When each came in. */
  readonly spoiltAt: readonly Instant[];
  /** Whether a fault explains it if the item is never proved. */
  readonly isExplained: boolean;
}

/** What faults did, by what they struck: calls of proof-of-play URLs, and what items need to be shown. */
interface FaultsSeen {
  readonly spoilt: ReadonlyMap<string, readonly Instant[]>;
  readonly struck: Hindrances;
}

/** The items of a spot in the order in which they are to be shown. */
export function itemsOf(spot: LedgerSpot, { spoilt, struck }: FaultsSeen): Audited[] {
  const order = spot.newsFirst ? (["news", "ad"] as const) : (["ad", "news"] as const);
  return order.flatMap((kind) => {
    const item = spot[kind];
    if (item === null) return [];
    const spoiltAt = spoilt.get(item.popPath) ?? [];
    return [{ spot, kind, item, spoiltAt, isExplained: spoiltAt.length > 0 || isHindered(struck, spot, item) }];
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
  const { orgToken, screenId, requestId } = spot;
  return { name, at, orgToken, screenId, requestId, kind, detail };
}
