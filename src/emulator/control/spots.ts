import type { Hono } from "hono";
import { z } from "zod";
import type { Instant } from "../../core/spot.ts";
import type { Env } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { type Ledger, type LedgerItem, type LedgerSpot, spotState } from "../spot/ledger.ts";
import { sentQuery } from "./body.ts";

/** An item as the ledger shows it; instants are ISO 8601. */
export interface ItemAccount {
  readonly id: string;
  readonly url: string;
  readonly media: readonly { readonly at: string; readonly bytes: number; readonly complete: boolean }[];
  readonly pops: readonly { readonly at: string; readonly status: number; readonly verdict: string }[];
}

/** A spot as the ledger shows it. */
export interface SpotAccount {
  readonly requestId: string;
  readonly screen_id: string;
  readonly issued_at: string;
  readonly newsFirst: boolean;
  readonly billable: boolean;
  readonly news: ItemAccount | null;
  readonly ad: ItemAccount | null;
  readonly state: "open" | "proved" | "lapsed";
}

/** Adds reading the ledger. */
export function addSpots(app: Hono<Env>, network: Network): void {
  const querySchema = z.strictObject({ screen_id: z.string().optional() });
  app.get("/control/spots", (c) => {
    const sent = sentQuery(c, querySchema);
    if (sent.kind === "refused") return sent.answer;
    return c.json(accounts(network.state.ledger, network.clock.now(), sent.value.screen_id));
  });
}

/** The ledger, oldest spot first, of one screen or of all. */
export function accounts(ledger: Ledger, now: Instant, screenId?: string): SpotAccount[] {
  const spots = [...ledger.spots.values()];
  const wanted = screenId === undefined ? spots : spots.filter((spot) => spot.screenId === screenId);
  return wanted.map((spot) => account(spot, now));
}

function account(spot: LedgerSpot, now: Instant): SpotAccount {
  return {
    requestId: spot.requestId,
    screen_id: spot.screenId,
    issued_at: iso(spot.issuedAt),
    newsFirst: spot.newsFirst,
    billable: spot.billable,
    news: itemAccount(spot.news),
    ad: itemAccount(spot.ad),
    state: spotState(spot, now),
  };
}

function itemAccount(item: LedgerItem | null): ItemAccount | null {
  if (item === null) return null;
  const { id, url, media, pops } = item;
  return {
    id,
    url,
    media: media.map((record) => ({ ...record, at: iso(record.at) })),
    pops: pops.map((record) => ({ ...record, at: iso(record.at) })),
  };
}

function iso(at: Instant): string {
  return new Date(at).toISOString();
}
