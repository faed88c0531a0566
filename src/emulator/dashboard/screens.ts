import type { DashboardView, ViewedItem, ViewedSpot } from "../control/dashboard.ts";
import { button, byId, element, fillRows, lengthInWords, type Row, tell } from "./dom.ts";

/** A stretch of time in which a screen showed something, as far as can be told from outside. */
interface Stretch {
  readonly kind: ViewedItem["kind"];
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Not proved yet: it should be on now. */
  readonly going: boolean;
}

/** The most screens that can be read from across a room. */
const MOST_SCREENS = 8;
const STRIP_MS = 3 * 60_000;

/** How much longer than its duration an unproved item is thought to be on: a proof takes its time. */
const PATIENCE_MS = 10_000;

/** Draws what each screen is showing, for how long, and what it showed in the last three minutes. */
export function drawScreens({ screens, spots, counts }: DashboardView, now: number): void {
  const of = new Map<string, ViewedSpot[]>();
  for (const spot of spots) {
    const key = `${spot.orgToken}/${spot.screenId}`;
    const others = of.get(key);
    if (others === undefined) of.set(key, [spot]);
    else others.push(spot);
  }
  const shown = screens.slice(0, MOST_SCREENS);
  const list = byId("screens");
  const rows = shown.map((screen) => ({
    key: keyOf(screen),
    says: `${screen.title}/${screen.location}/${screen.status}`,
    make: () => rowOf(screen),
  }));
  fillRows(list, rows, "no screens");
  sayHowMany("screens-count", shown.length, counts.screens);
  shown.forEach((screen, index) => {
    const row = list.children[index];
    if (row !== undefined) drawNow(row, of.get(keyOf(screen)) ?? [], now);
  });
}

type Screen = DashboardView["screens"][number];

function keyOf({ orgToken, id }: Screen): string {
  return `${orgToken}/${id}`;
}

function rowOf({ id, title, location, status }: Screen): Node[] {
  const strip = element("div", "strip");
  strip.setAttribute("role", "img");
  const where = element("span", "place", location);
  const place = element("div", "quiet", where, status === "APPROVED" ? "" : ` · ${status}`);
  const name = element("div", "", element("strong", "", title), " ", element("small", "", id), place);
  return [name, element("div", "", element("div", "showing"), strip)];
}

function drawNow(row: Element, spots: readonly ViewedSpot[], now: number): void {
  const past = stretches(spots, now);
  const last = past.at(-1);
  const showing = row.querySelector(".showing");
  const strip = row.querySelector(".strip");
  if (showing === null || strip === null) return;
  showing.textContent = inWords(last, now);
  const recent = past.filter(({ to }) => to > now - STRIP_MS);
  strip.setAttribute("aria-label", `${recent.length} items in the last three minutes`);
  strip.replaceChildren(...recent.map((stretch) => block(stretch, now)));
}

/**
 * What a screen showed, oldest first. A proved item ended when its proof came; the first item after the last proof is
 * taken to be on now, until its duration is well over.
 */
function stretches(spots: readonly ViewedSpot[], now: number): Stretch[] {
  const items = spots.flatMap(({ issuedAt, items }) => items.map((item) => ({ ...item, issuedAt })));
  const proved: Stretch[] = items.flatMap(({ kind, name, durationMs, provedAt }) =>
    provedAt === null ? [] : [{ kind, name, from: provedAt - durationMs, to: provedAt, going: false }],
  );
  proved.sort((one, other) => one.to - other.to);
  const last = items.findLastIndex(({ provedAt }) => provedAt !== null);
  const next = items[last + 1];
  if (next === undefined) return proved;
  const from = Math.max(next.issuedAt, proved.at(-1)?.to ?? next.issuedAt);
  if (now - from > next.durationMs + PATIENCE_MS) return proved;
  return [...proved, { kind: next.kind, name: next.name, from, to: Math.max(now, from), going: true }];
}

function inWords(last: Stretch | undefined, now: number): string {
  if (last === undefined) return "nothing yet";
  if (last.going) return `${last.name} for ${lengthInWords(now - last.from)}`;
  return `no proof for ${lengthInWords(now - last.to)}`;
}

function block({ kind, name, from, to, going }: Stretch, now: number): HTMLElement {
  const made = element("i", `${kind}${going ? " going" : ""}`);
  const left = Math.max(0, 1 - (now - from) / STRIP_MS);
  made.style.left = `${left * 100}%`;
  made.style.width = `${Math.max(0.002, 1 - (now - to) / STRIP_MS - left) * 100}%`;
  made.title = `${name}, ${lengthInWords(to - from)}`;
  return made;
}

/** Draws the locations and the CARs, each with the buttons that decide. */
export function drawInventory({ locations, cars, counts }: DashboardView): void {
  fillRows(byId("locations"), locations.map(locationRow), "no locations");
  sayHowMany("locations-count", locations.length, counts.locations);
  fillRows(byId("cars"), cars.map(carRow), "no creatives to approve");
  sayHowMany("cars-count", cars.length, counts.cars);
}

/** "8 of 10,000" beside a heading, where the page has not all of them. */
function sayHowMany(id: string, shown: number, all: number): void {
  byId(id).textContent = shown === all ? "" : `${shown.toLocaleString("en")} of ${all.toLocaleString("en")}`;
}

function locationRow({ orgToken, id, title, status }: DashboardView["locations"][number]): Row {
  const decide = (decision: "approve" | "return", done: string) =>
    tell("POST", pathOf("locations", id, decision, orgToken), decision === "approve" ? {} : undefined, done);
  const buttons = () => [
    button("Approve", `Approve ${title}`, () => decide("approve", `${title} is approved`)),
    button("Return", `Return ${title}`, () => decide("return", `${title} is a draft again`)),
  ];
  return {
    key: `${orgToken}/${id}`,
    says: `${title}/${status}`,
    make: () => [...named(title, id, status), ...(status === "REVIEW" ? buttons() : [])],
  };
}

function carRow({ orgToken, id, advertiser, campaign, status }: DashboardView["cars"][number]): Row {
  const title = `${advertiser}: ${campaign}`;
  const approve = () => tell("POST", pathOf("cars", id, "approve", orgToken), undefined, `${title} is approved`);
  return {
    key: `${orgToken}/${id}`,
    says: `${title}/${status}`,
    make: () => [
      ...named(title, id, status),
      ...(status === "pending" ? [button("Approve", `Approve ${title}`, approve)] : []),
    ],
  };
}

function named(title: string, id: string, status: string): Node[] {
  const tone = { APPROVED: "good", approved: "good", REVIEW: "waiting", pending: "waiting", rejected: "bad" }[status];
  return [
    element("span", "grow", element("strong", "", title), " ", element("small", "", id)),
    element("span", tone ?? "quiet", status),
  ];
}

function pathOf(list: "locations" | "cars", id: string, decision: string, orgToken: string): string {
  return `/control/${list}/${encodeURIComponent(id)}/${decision}?org_token=${encodeURIComponent(orgToken)}`;
}
