import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Context, Hono, MiddlewareHandler } from "hono";
import { type Instant, LONGEST_ITEM_MS } from "../../core/spot.ts";
import { type ViolationJson, violations } from "../audit/audit.ts";
import { type Switches, type SwitchName, switches, switchNames } from "../behaviour/switches.ts";
import { behaviours } from "../behaviour/table.ts";
import { inForce } from "../faults/choose.ts";
import { presetNames } from "../faults/schema.ts";
import { type Env, emptyNote, problem } from "../http/answers.ts";
import { onlyFromHere } from "../http/listener.ts";
import { screenKey } from "../inventory/inventory.ts";
import type { Network } from "../network.ts";
import { type LedgerItem, type LedgerSpot, spotState } from "../spot/ledger.ts";
import type { Snapshots } from "./snapshots-and-forks.ts";

/** The page runs its own files and talks to its own origin, and that is all. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const TYPES: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript" };

/**
 * Adds the dashboard at `/`. To be added before the journal is: what the page reads for itself is no traffic, and would
 * be most of it. What its buttons do is, since they call the control API. `host`: where the listener is.
 */
export function addDashboard(app: Hono<Env>, network: Network, snapshots: Snapshots, host: string): void {
  const here = onlyFromHere(host);
  app.get("/", unjournalled, here, (c) => file(c, "page.html"));
  app.get("/dashboard/view", unjournalled, here, (c) =>
    c.json(dashboardView(network, snapshots), 200, { "cache-control": "no-store" }),
  );
  app.get("/dashboard/:name{[a-z-]+\\.(?:js|css)}", unjournalled, here, (c) => file(c, c.req.param("name")));
}

/** Handlers write to the call's note, which is thrown away here. */
const unjournalled: MiddlewareHandler<Env> = async (c, next) => {
  c.set("note", emptyNote());
  await next();
};

/** A file of the page as it was built: browsers do not run the sources. The name has no way out of the folder. */
async function file(c: Context<Env>, name: string): Promise<Response> {
  const path = fileURLToPath(new URL(`../../../dist/emulator/dashboard/${name}`, import.meta.url));
  const type = TYPES[name.replace(/.*\./, "")] ?? "application/octet-stream";
  const headers = {
    "content-type": `${type}; charset=utf-8`,
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
  };
  try {
    return new Response(await readFile(path), { headers });
  } catch {
    return problem(c, 404, "not_found", "there is no such file of the dashboard, or it has not been built");
  }
}

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
  readonly orgToken: string;
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
  /** The ones that were last given a spot first. */
  readonly screens: readonly { orgToken: string; id: string; title: string; location: string; status: string }[];
  /** What waits for a decision first, as with the CARs. */
  readonly locations: readonly { orgToken: string; id: string; title: string; status: string }[];
  readonly cars: readonly { orgToken: string; id: string; advertiser: string; campaign: string; status: string }[];
  /** How many there are of each of these, of which the first `MOST_VIEWED_ENTRIES` are here. */
  readonly counts: { readonly screens: number; readonly locations: number; readonly cars: number };
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
  readonly violations: readonly ViolationJson[];
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
function dashboardView(network: Network, snapshots: Snapshots): DashboardView {
  const { state, clock } = network;
  const now = clock.now();
  const found = violations(network);
  const spots = [...state.ledger.spots.values()];
  const viewed = spots.slice(-MOST_VIEWED_SPOTS);
  return {
    clock: clock.reading(),
    ...inventoryView(network, viewed),
    faults: inForce(state.faults, now).map(({ name, matched, applied }, index) => ({
      name: name ?? `fault ${index + 1}`,
      matched,
      applied,
    })),
    presets: presetNames,
    switches: switchNames.map((name) => viewedSwitch(name, state.switches)),
    snapshots: [...snapshots].map(([name, { at }]) => ({ name, at })),
    spots: viewed.map((spot) => viewedSpot(spot, now)),
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

type InventoryView = Pick<DashboardView, "screens" | "locations" | "cars" | "counts">;

/** `spots`: oldest first. */
function inventoryView({ state }: Network, spots: readonly LedgerSpot[]): InventoryView {
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
  const lastSpot = new Map(spots.map(({ orgToken, screenId }, index) => [screenKey(orgToken, screenId), index]));
  const quiet = ({ orgToken, id }: { orgToken: string; id: string }) => -(lastSpot.get(screenKey(orgToken, id)) ?? -1);
  const decided = ({ status }: { status: string }) => (status === "REVIEW" || status === "pending" ? 0 : 1);
  return {
    screens: firstOf(screens, quiet),
    locations: firstOf(locations, decided),
    cars: firstOf(cars, decided),
    counts: { screens: screens.length, locations: locations.length, cars: cars.length },
  };
}

/** Those of the lowest rank; of the same rank, those that came first. */
function firstOf<Entry>(entries: readonly Entry[], rank: (entry: Entry) => number): readonly Entry[] {
  return [...entries].sort((one, other) => rank(one) - rank(other)).slice(0, MOST_VIEWED_ENTRIES);
}

function viewedSpot(spot: LedgerSpot, now: Instant): ViewedSpot {
  const { requestId, orgToken, screenId, issuedAt, billable } = spot;
  let from = issuedAt;
  const items = inOrder(spot).map(([kind, item]) => {
    const durationMs = Math.min(Math.max(0, item.shownAt - from), LONGEST_ITEM_MS);
    from = item.shownAt;
    return { kind, name: nameIn(item.url), durationMs, provedAt: provedAt(item) };
  });
  return { requestId, orgToken, screenId, issuedAt, billable, state: spotState(spot, now), items };
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
