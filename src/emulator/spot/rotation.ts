import type { Instant } from "../../core/spot.ts";
import type { Creative } from "../world/catalogue.ts";
import type { Inventory, Organization, OwnedScreen } from "../world/inventory.ts";
import type { WorldCampaign } from "../world/schema.ts";
import type { PlannedItem, PlannedSpot, WholeItem } from "./planned.ts";
import { type Serving, servedTo } from "./served.ts";

/** A spot that has been decided on and lacks only its ids and proof-of-play URLs. */
export interface ChosenSpot {
  readonly newsFirst: boolean;
  readonly billable: boolean;
  readonly news: WholeItem | null;
  readonly ad: WholeItem | null;
}

/**
 * Chooses what a screen shows in its `turn`-th spot: news and ads each go round in the order of the world, news comes
 * first in every other spot unless the campaign says, and what is `planned` has its way (F1, F3-F6). Pure.
 */
export function chooseSpot(
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
  if (item === null) return null;
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
function fromCreative({ name, newsType, flaw: _, ...creative }: Creative): WholeItem {
  const item = { id: name, ...creative };
  return newsType === null ? item : { ...item, newsType };
}
