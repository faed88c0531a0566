import { isMismatched, type VenueTree } from "../../core/inventory/rules.ts";
import type { Instant } from "../../core/spot.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import type { ContentItem, NewsItem, SpotAnswer } from "../../wire/spot.ts";
import { type Inventory, type Organization, type OwnedScreen, screenKey } from "../inventory/inventory.ts";
import type { Network } from "../network.ts";
import { draw, uuidOf } from "../random.ts";
import type { Creative } from "../world/creatives.ts";
import { isOpen } from "../world/places.ts";
import type { WorldCampaign } from "../world/schema.ts";
import { enter, type LedgerItem, NO_RECORDS, POP_PATH } from "./ledger.ts";
import type { PlannedItem, PlannedSpot, WholeItem } from "./planned.ts";

/** Serves a screen its next spot and enters it in the ledger; every call is a new one (F13). */
export function issueSpot(network: Network, owned: OwnedScreen): SpotAnswer {
  const issuedAt = network.clock.now();
  const chosen = nextOf(network, owned, issuedAt);
  // Of the screen's own, so that its spots are the same in whatever order several screens ask.
  const purpose = `spot/${screenKey(owned.organization.orgToken, owned.screen.screen_id)}`;
  const chance = draw(network.state.dice, purpose, 16 + 2 * POP_BYTES);
  const requestId = uuidOf(chance.subarray(0, 16));
  const { newsFirst, billable } = chosen;
  const { newsShownAt, adShownAt } = earliest(chosen, issuedAt);
  const news = issueItem(network, chosen.news, newsShownAt, chance.subarray(16, 16 + POP_BYTES));
  const ad = issueItem(network, chosen.ad, adShownAt, chance.subarray(16 + POP_BYTES));
  const entry = {
    requestId,
    orgToken: owned.organization.orgToken,
    screenId: owned.screen.screen_id,
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
  network: Network,
  item: WholeItem | null,
  shownAt: Instant,
  chance: Buffer,
): { item: ContentItem; entry: LedgerItem } | null {
  if (item === null) return null;
  const url = wholeUrl(network, item.url);
  const popPath = newPopPath(chance);
  const entry = { id: item.id, url, popPath, shownAt, media: NO_RECORDS, pops: NO_RECORDS };
  return { item: { ...item, url, pop: network.mediaUrl + popPath }, entry };
}

/** The most URLs of a network that are kept whole; then they begin anew. */
const MOST_LOCATED = 10_000;
/** Of each network, by how they are written: a URL takes as long to parse as a spot to decide on. */
const locatedIn = new WeakMap<Network, Map<string, string>>();

/** What `located` says, one string for all spots that have the URL. */
function wholeUrl(network: Network, url: string): string {
  let known = locatedIn.get(network);
  if (known === undefined || known.size >= MOST_LOCATED) {
    known = new Map();
    locatedIn.set(network, known);
  }
  const whole = known.get(url) ?? located(url, `${network.mediaUrl}/`);
  known.set(url, whole);
  return whole;
}

/** An absolute URL stays as it was written, a relative one is on the media listener; an impossible one is sent as is. */
export function located(url: string, base: string): string {
  // Parsing takes long, and nothing without a colon is absolute.
  if (url.includes(":") && URL.canParse(url)) return url;
  // Below the base, which in a fork has a path of its own.
  const relative = /^\/(?!\/)/.test(url) ? `.${url}` : url;
  return URL.parse(relative, base)?.href ?? url;
}

/** 16 bytes make the token, 8 the signature of the query. */
const POP_BYTES = 24;

/**
 * Path and query of a proof-of-play URL. Every third has a query with escapes that mean the same written otherwise, so
 * that a player that takes such a URL apart and puts it together again is found out (F11).
 */
function newPopPath(bytes: Buffer): string {
  const path = `${POP_PATH}${bytes.toString("base64url", 0, 16)}`;
  if (bytes.readUInt8(16) % 3 !== 0) return path;
  return `${path}?s=${bytes.toString("hex", 16, 24)}%3d%7E&v=1`;
}

/** A spot that has been decided on and lacks only its ids and proof-of-play URLs. */
interface ChosenSpot {
  readonly newsFirst: boolean;
  readonly billable: boolean;
  readonly news: WholeItem | null;
  readonly ad: WholeItem | null;
}

/** How the network serves. `respectHours`: no ads outside the opening hours (F5). */
interface Serving {
  readonly tree: VenueTree;
  readonly respectHours: boolean;
}

/** Which kinds of item a screen gets. */
interface Served {
  readonly news: boolean;
  readonly ad: boolean;
}

/**
 * Chooses what a screen shows in its `turn`-th spot: news and ads each go round in the order of the world, news comes
 * first in every other spot unless the campaign says, and what is `planned` has its way (F1, F3-F6). Pure.
 */
function chooseSpot(
  inventory: Inventory,
  owned: OwnedScreen,
  planned: PlannedSpot,
  turn: number,
  at: Instant,
  serving: Serving,
): ChosenSpot {
  const own = rotated(inventory, owned, turn, at, serving);
  const news = planned.news === undefined ? own.news : itemOf(inventory, planned.news);
  const ad = planned.ad === undefined ? own.ad : itemOf(inventory, planned.ad);
  const paid = planned.ad === undefined ? own.billable : ad !== null;
  return {
    newsFirst: planned.newsFirst ?? own.newsFirst,
    billable: planned.billable ?? paid,
    news: news === null ? null : { ...news, newsType: news.newsType ?? "general" },
    ad,
  };
}

function rotated(
  inventory: Inventory,
  { organization, screen }: OwnedScreen,
  turn: number,
  at: Instant,
  serving: Serving,
): ChosenSpot {
  const location = organization.locations.get(screen.location_id);
  if (location === undefined) throw new Error(`screen ${screen.screen_id} has no location ${screen.location_id}`);
  const served = servedTo(screen, location, at, serving);
  const news = served.news ? inTurn(inventory.news, turn) : null;
  const campaign = served.ad ? inTurn(campaignsFor({ organization, screen }), turn) : null;
  return {
    newsFirst: campaign?.newsFirst ?? turn % 2 === 0,
    billable: campaign?.paid ?? false,
    news: news === null ? null : varied(itemOf(inventory, news.creative), news),
    ad: campaign === null ? null : varied(advertised(inventory, organization, campaign), campaign),
  };
}

/**
 * What a screen is served at an instant: nothing while it or its location is archived or the location is not approved
 * (F3), no ads while either is not available for them (F4), the location is closed (F5) or no longer of the screen's type
 * (B13).
 */
function servedTo(screen: Screen, location: Location, at: Instant, serving: Serving): Served {
  if (screen.archived || location.archived || location.status !== "APPROVED") return { news: false, ad: false };
  const forAds = screen.available_for_ads && location.available_for_ads;
  const open = !serving.respectHours || isOpen(location.opening_168, location.timezone, at);
  return { news: true, ad: forAds && open && !isMismatched(screen, location, serving.tree) };
}

/** Only what has been approved is served, and only where the campaign runs (E9). */
function campaignsFor({ organization, screen }: OwnedScreen): WorldCampaign[] {
  return organization.campaigns.filter((campaign) => {
    const approved = organization.approvals.get(campaign.car_id)?.status === "approved";
    return approved && (campaign.screens?.includes(screen.screen_id) ?? true);
  });
}

/** The creative that was approved: one of the network's, or the approval's own, which its id then names (F14). */
function advertised(inventory: Inventory, organization: Organization, { car_id }: WorldCampaign): WholeItem | null {
  const approval = organization.approvals.get(car_id);
  if (approval === undefined) return null;
  if (approval.item === null) return itemOf(inventory, approval.creative);
  const { url, title, width, height, duration, mimeType } = approval.item;
  return { id: car_id, url, title, width, height, duration, mimeType };
}

function inTurn<T>(entries: readonly T[], turn: number): T | null {
  return entries[turn % entries.length] ?? null;
}

function varied(
  item: WholeItem | null,
  change: { readonly duration?: number | undefined; readonly newsType?: string | undefined },
): WholeItem | null {
  if (item === null || (change.duration === undefined && change.newsType === undefined)) return item;
  const { duration = item.duration, newsType = item.newsType } = change;
  return newsType === undefined ? { ...item, duration } : { ...item, duration, newsType };
}

function itemOf(inventory: Inventory, planned: PlannedItem): WholeItem | null {
  if (typeof planned !== "string") return planned;
  const creative = inventory.creatives.get(planned);
  if (creative === undefined) throw new Error(`there is no creative ${planned}`);
  return fromCreative(creative);
}

/**
 * A creative's name is its items' id: the same creative has the same id and URL in every spot (F14). Nothing in an item
 * tells that it is bad.
 */
function fromCreative({ name, title, mimeType, width, height, duration, url, newsType }: Creative): WholeItem {
  const item = { id: name, title, mimeType, width, height, duration, url };
  return newsType === null ? item : { ...item, newsType };
}
