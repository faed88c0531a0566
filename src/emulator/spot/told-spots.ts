import type { Instant } from "../../core/spot.ts";
import { byPath, type RejectedPop } from "../audit/evidence.ts";
import type { NetworkState } from "../network.ts";
import { type LedgerItem, type LedgerSpot, spotState } from "./ledger.ts";

/** An item as the ledger shows it; instants are ISO 8601. */
export interface ItemJson {
  readonly id: string;
  readonly url: string;
  readonly media: readonly { readonly at: string; readonly bytes: number; readonly complete: boolean }[];
  readonly pops: readonly { readonly at: string; readonly status: number; readonly verdict: string }[];
  /** Proofs that a fault answered in the network's place, or left without an answer (status 0). */
  readonly failed: readonly { readonly at: string; readonly status: number; readonly fault: string }[];
}

/** A spot as the ledger shows it. */
export interface SpotJson {
  readonly requestId: string;
  readonly org_token: string;
  readonly screen_id: string;
  readonly issued_at: string;
  readonly newsFirst: boolean;
  readonly billable: boolean;
  readonly news: ItemJson | null;
  readonly ad: ItemJson | null;
  readonly state: "open" | "proved" | "lapsed";
}

/** Whose spots are wanted; what is left out is anybody's. */
interface SpotFilter {
  readonly orgToken?: string | undefined;
  readonly screenId?: string | undefined;
}

/** The ledger, oldest spot first, of one screen or of all. */
export function spotsJson(
  { ledger, rejectedPops }: Pick<NetworkState, "ledger" | "rejectedPops">,
  now: Instant,
  { orgToken, screenId }: SpotFilter = {},
): SpotJson[] {
  const wanted = [...ledger.spots.values()].filter(
    (spot) => (orgToken ?? spot.orgToken) === spot.orgToken && (screenId ?? spot.screenId) === spot.screenId,
  );
  const failures = byPath(rejectedPops);
  return wanted.map((spot) => spotJson(spot, now, failures));
}

function spotJson(spot: LedgerSpot, now: Instant, failures: ReadonlyMap<string, readonly RejectedPop[]>): SpotJson {
  return {
    requestId: spot.requestId,
    org_token: spot.orgToken,
    screen_id: spot.screenId,
    issued_at: iso(spot.issuedAt),
    newsFirst: spot.newsFirst,
    billable: spot.billable,
    news: itemJson(spot.news, failures),
    ad: itemJson(spot.ad, failures),
    state: spotState(spot, now),
  };
}

function itemJson(item: LedgerItem | null, failures: ReadonlyMap<string, readonly RejectedPop[]>): ItemJson | null {
  if (item === null) return null;
  const { id, url, media, pops } = item;
  const odd = failures.get(item.popPath) ?? [];
  return {
    id,
    url,
    media: media.map((record) => ({ ...record, at: iso(record.at) })),
    pops: pops.map((record) => ({ ...record, at: iso(record.at) })),
    failed: odd.flatMap(({ at, failed }) => (failed ? [{ at: iso(at), ...failed }] : [])),
  };
}

function iso(at: Instant): string {
  return new Date(at).toISOString();
}
