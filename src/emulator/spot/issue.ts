import type { Instant } from "../../core/spot.ts";
import type { ContentItem, NewsItem, SpotAnswer } from "../../wire/spot.ts";
import { type Network, screenKey } from "../network.ts";
import { draw, uuidOf } from "../random.ts";
import type { OwnedScreen } from "../world/inventory.ts";
import { enter, type LedgerItem } from "./ledger.ts";
import type { WholeItem } from "./planned.ts";
import { type ChosenSpot, chooseSpot } from "./rotation.ts";

/** Serves a screen its next spot and enters it in the ledger; every call is a new one (F13). */
export function issueSpot(network: Network, owned: OwnedScreen): SpotAnswer {
  const issuedAt = network.clock.now();
  const chosen = nextOf(network, owned, issuedAt);
  const chance = draw(network.state.dice, "spot", 16 + 2 * POP_BYTES);
  const requestId = uuidOf(chance.subarray(0, 16));
  const { newsFirst, billable } = chosen;
  const { newsShownAt, adShownAt } = earliest(chosen, issuedAt);
  const news = issueItem(network, chosen.news, newsShownAt, chance.subarray(16, 16 + POP_BYTES));
  const ad = issueItem(network, chosen.ad, adShownAt, chance.subarray(16 + POP_BYTES));
  const screenId = owned.screen.screen_id;
  const entry = {
    requestId,
    screenId,
    issuedAt,
    newsFirst,
    billable,
    news: news?.entry ?? null,
    ad: ad?.entry ?? null,
  };
  enter(network.state.ledger, entry);
  // An item that was written out for `next` may lack the contract's types on purpose (F18).
  const answer = {
    requestId,
    billable,
    newsFirst,
    news: (news?.item ?? null) as NewsItem | null,
    ad: ad?.item ?? null,
  };
  return { data: answer };
}

function nextOf({ state, tree }: Network, owned: OwnedScreen, at: Instant): ChosenSpot {
  const key = screenKey(owned.organization.orgToken, owned.screen.screen_id);
  const turn = state.turns.get(key) ?? 0;
  state.turns.set(key, turn + 1);
  const serving = { tree, respectHours: state.switches.openingHours === "respect" };
  return chooseSpot(state.inventory, owned, state.planned.get(key)?.shift() ?? {}, turn, at, serving);
}

/** When each item can first have been shown in full: the second one only after the first (F12). */
function earliest({ newsFirst, news, ad }: ChosenSpot, issuedAt: Instant) {
  const newsMs = news?.duration ?? 0;
  const adMs = ad?.duration ?? 0;
  return {
    newsShownAt: issuedAt + newsMs + (newsFirst ? 0 : adMs),
    adShownAt: issuedAt + adMs + (newsFirst ? newsMs : 0),
  };
}

function issueItem(
  { mediaUrl }: Network,
  item: WholeItem | null,
  shownAt: Instant,
  chance: Buffer,
): { item: ContentItem; entry: LedgerItem } | null {
  if (item === null) return null;
  const url = located(item.url, `${mediaUrl}/`);
  const popPath = newPopPath(chance);
  const entry = { id: item.id, url, popPath, shownAt, media: [], pops: [] };
  return { item: { ...item, url, pop: mediaUrl + popPath }, entry };
}

/** An absolute URL stays as it was written, a relative one is on the media listener; an impossible one is sent as is. */
export function located(url: string, base: string): string {
  if (URL.canParse(url)) return url;
  return URL.canParse(url, base) ? new URL(url, base).href : url;
}

/** 16 bytes make the token, 8 the signature of the query. */
const POP_BYTES = 24;

/**
 * Path and query of a proof-of-play URL. Every third has a query with escapes that mean the same written otherwise, so
 * that a player that takes such a URL apart and puts it together again is found out (F11).
 */
function newPopPath(bytes: Buffer): string {
  const path = `/pop/${bytes.toString("base64url", 0, 16)}`;
  if (bytes.readUInt8(16) % 3 !== 0) return path;
  return `${path}?s=${bytes.toString("hex", 16, 24)}%3d%7E&v=1`;
}
