import type { Hono } from "hono";
import { z } from "zod";
import type { Instant } from "../../core/spot.ts";
import { violations } from "../audit/audit.ts";
import { byPath, type RejectedPop } from "../audit/evidence.ts";
import { type Env, problem, refusal } from "../http/answers.ts";
import { sentBody, sentQuery } from "../http/body.ts";
import type { Network, NetworkState } from "../network.ts";
import { type LedgerItem, type LedgerSpot, spotState } from "../spot/ledger.ts";
import { MOST_PLANNED, planNext, plannedSpotSchema } from "../spot/planned.ts";

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

/** Whose spots are read. */
export const spotsQuerySchema = z.strictObject({ org_token: z.string().optional(), screen_id: z.string().optional() });

/** Whose screen, where several organizations have one of that id. */
export const nextQuerySchema = z.strictObject({ org_token: z.string().optional() });
/** What a screen is to get next. */
export const nextSchema = z.strictObject({ spots: z.array(plannedSpotSchema).max(MOST_PLANNED) });

/** Adds reading the ledger, and what the auditor has to say about it. */
export function addSpots(app: Hono<Env>, network: Network): void {
  app.get("/control/spots", (c) => {
    const sent = sentQuery(c, spotsQuerySchema);
    if (sent.kind === "refused") return sent.answer;
    const { org_token: orgToken, screen_id: screenId } = sent.value;
    return c.json(spotsJson(network.state, network.clock.now(), { orgToken, screenId }));
  });
  app.get("/control/audit", (c) => c.json(violations(network)));
}

/** Adds telling what a screen gets next. */
export function addNext(app: Hono<Env>, network: Network): void {
  app.post("/control/screens/:screen_id/next", async (c) => {
    const screenId = c.req.param("screen_id");
    const query = sentQuery(c, nextQuerySchema);
    if (query.kind === "refused") return query.answer;
    const sent = await sentBody(c, nextSchema);
    if (sent.kind === "refused") return sent.answer;
    const planning = planNext(network, { screenId, orgToken: query.value.org_token }, sent.value.spots);
    switch (planning.kind) {
      case "planned":
        return c.json({ waiting: planning.waiting }, 200);
      case "unknown-screen":
        return problem(c, 404, "unknown_screen", `there is no screen ${screenId}`);
      case "ambiguous-screen":
        return problem(
          c,
          409,
          "ambiguous_screen",
          `several organizations have a screen ${screenId}; say which with ?org_token=`,
        );
      case "too-many":
        return problem(c, 409, "too_many_spots", `at most ${MOST_PLANNED} spots can wait for a screen`);
      case "unknown-creative":
        return refusal(c, { kind: "unprocessable", code: "unknown_creative", complaints: planning.errors });
    }
  });
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
