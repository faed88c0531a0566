import { type Instant, LONGEST_ITEM_MS } from "../../core/spot.ts";
import { type Switches, type SwitchName, switches, switchNames } from "../behaviour/switches.ts";
import { behaviours } from "../behaviour/table.ts";
import { presetNames } from "../faults/presets.ts";
import type { Network } from "../network.ts";
import { type LedgerItem, type LedgerSpot, spotState } from "../spot/ledger.ts";
import { type ViolationAccount, violations } from "./audit.ts";
import type { Snapshots } from "./snapshots.ts";

/** An item as the dashboard draws it; instants are virtual, in milliseconds. */
export interface ViewedItem {
  readonly kind: "news" | "ad";
  /** The last part of its media URL's path, which is a creative's name for packaged ones. */
  readonly name: string;
  readonly durationMs: number;
  readonly provedAt: Instant | null;
}

/** A spot as the dashboard draws it, its items in the order in which they are to be shown. */
export interface ViewedSpot {
  readonly requestId: string;
  readonly screenId: string;
  readonly issuedAt: Instant;
  readonly billable: boolean;
  readonly state: "open" | "proved" | "lapsed";
  readonly items: readonly ViewedItem[];
}

/** A switch as the dashboard draws it, with what its row of the table of behaviours is about. */
export interface ViewedSwitch {
  readonly name: SwitchName;
  readonly id: string;
  readonly topic: string;
  readonly value: Switches[SwitchName];
  /** The default first. */
  readonly values: readonly Switches[SwitchName][];
}

/** Everything on the dashboard but the calls, which it follows by itself. */
export interface DashboardView {
  readonly clock: { readonly mode: "real" | "frozen"; readonly now: Instant; readonly speed: number };
  readonly screens: readonly { orgToken: string; id: string; title: string; location: string; status: string }[];
  readonly locations: readonly { orgToken: string; id: string; title: string; status: string }[];
  readonly cars: readonly { orgToken: string; id: string; advertiser: string; campaign: string; status: string }[];
  readonly faults: readonly { name: string; matched: number; applied: number }[];
  readonly presets: readonly string[];
  readonly switches: readonly ViewedSwitch[];
  /** By name, when each was taken, in the order in which they were first. */
  readonly snapshots: readonly { name: string; at: string }[];
  /** The newest `MOST_VIEWED_SPOTS`, oldest first. */
  readonly spots: readonly ViewedSpot[];
  /** Of the whole ledger. `items`: those that are proved, and those that could have been for `PATIENCE_MS`. */
  readonly totals: { spots: number; filled: number; items: number; proved: number };
  /** The newest `MOST_VIEWED_VIOLATIONS`, newest first. */
  readonly violations: readonly ViolationAccount[];
  readonly violationCount: number;
}

/** By then an item has been shown, also when its spot was asked for while another one played, and its proof is due. */
const PATIENCE_MS = 60_000;
/** More would be more than can be drawn apart. */
const MOST_VIEWED_SPOTS = 1_000;
const MOST_VIEWED_VIOLATIONS = 100;
/** Of each list; a page of more is nothing to look at, and the control API has them all. */
const MOST_VIEWED_ENTRIES = 200;

/** What the dashboard shows of a network now. Looks, and changes nothing. */
export function dashboardView(network: Network, snapshots: Snapshots): DashboardView {
  const { state, clock } = network;
  const now = clock.now();
  const found = violations(network);
  const spots = [...state.ledger.spots.values()];
  return {
    clock: clock.reading(),
    ...inventoryView(network),
    faults: state.faults.map(({ name, matched, applied }, index) => ({
      name: name ?? `fault ${index + 1}`,
      matched,
      applied,
    })),
    presets: presetNames,
    switches: switchNames.map((name) => viewedSwitch(name, state.switches)),
    snapshots: [...snapshots].map(([name, { at }]) => ({ name, at })),
    spots: spots.slice(-MOST_VIEWED_SPOTS).map((spot) => viewedSpot(spot, now)),
    totals: totalsOf(spots, now),
    violations: found.slice(-MOST_VIEWED_VIOLATIONS).reverse(),
    violationCount: found.length,
  };
}

function viewedSwitch(name: SwitchName, now: Switches): ViewedSwitch {
  const { row: id, default: usual, alternatives } = switches[name];
  const topic = behaviours.find((row) => row.id === id)?.topic ?? name;
  return { name, id, topic, value: now[name], values: [usual, ...alternatives] };
}

function inventoryView({ state }: Network): Pick<DashboardView, "screens" | "locations" | "cars"> {
  const owners = [...state.inventory.organizations.values()];
  const screens = owners.flatMap(({ orgToken, locations, screens }) =>
    [...screens.values()].map(({ screen_id: id, title, location_id, archived }) => {
      const location = locations.get(location_id);
      const status = archived ? "ARCHIVED" : (location?.status ?? "");
      return { orgToken, id, title: title ?? id, location: location?.title ?? location_id, status };
    }),
  );
  const locations = owners.flatMap(({ orgToken, locations }) =>
    [...locations.values()].map(({ location_id: id, title, status }) => ({ orgToken, id, title: title ?? id, status })),
  );
  const cars = owners.flatMap(({ orgToken, approvals }) =>
    [...approvals.values()].map(({ car_id: id, advertiser_name: advertiser, campaign_name: campaign, status }) => {
      return { orgToken, id, advertiser, campaign, status };
    }),
  );
  return {
    screens: screens.slice(0, MOST_VIEWED_ENTRIES),
    locations: locations.slice(0, MOST_VIEWED_ENTRIES),
    cars: cars.slice(0, MOST_VIEWED_ENTRIES),
  };
}

function viewedSpot(spot: LedgerSpot, now: Instant): ViewedSpot {
  const { requestId, screenId, issuedAt, billable } = spot;
  let from = issuedAt;
  const items = inOrder(spot).map(([kind, item]) => {
    const durationMs = Math.min(Math.max(0, item.shownAt - from), LONGEST_ITEM_MS);
    from = item.shownAt;
    return { kind, name: nameIn(item.url), durationMs, provedAt: provedAt(item) };
  });
  return { requestId, screenId, issuedAt, billable, state: spotState(spot, now), items };
}

function inOrder({ newsFirst, news, ad }: LedgerSpot): [kind: "news" | "ad", item: LedgerItem][] {
  const both: ["news" | "ad", LedgerItem | null][] = newsFirst
    ? [
        ["news", news],
        ["ad", ad],
      ]
    : [
        ["ad", ad],
        ["news", news],
      ];
  return both.flatMap(([kind, item]) => (item === null ? [] : [[kind, item]]));
}

function provedAt({ pops }: LedgerItem): Instant | null {
  return pops.find(({ status }) => status === 200)?.at ?? null;
}

function nameIn(url: string): string {
  const last = /([^/?#]+)(?:\/index\.html|\/)?(?:[?#].*)?$/.exec(url)?.[1] ?? url;
  return last.slice(0, 60);
}

function totalsOf(spots: readonly LedgerSpot[], now: Instant): DashboardView["totals"] {
  const totals = { spots: spots.length, filled: 0, items: 0, proved: 0 };
  for (const spot of spots) {
    if (spot.ad !== null) totals.filled += 1;
    for (const item of [spot.news, spot.ad]) {
      if (item === null) continue;
      const proved = provedAt(item) !== null;
      if (proved) totals.proved += 1;
      if (proved || now > item.shownAt + PATIENCE_MS) totals.items += 1;
    }
  }
  return totals;
}
