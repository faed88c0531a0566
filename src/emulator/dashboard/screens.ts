import type { DashboardView, ViewedSpot } from "../control/dashboard-view.ts";
import { byId, element, fillRows } from "./dom.ts";
import { type Stretch, stretches } from "./showing.ts";
import { lengthInWords } from "./words.ts";

/** So many screens can be read from across a room; the ones that were last given something go first. */
const MOST_SCREENS = 8;
const STRIP_MS = 3 * 60_000;

/** Draws what each screen is showing, for how long, and what it showed in the last three minutes. */
export function drawScreens({ screens, spots }: Pick<DashboardView, "screens" | "spots">, now: number): void {
  const of = new Map<string, ViewedSpot[]>();
  for (const spot of spots) {
    const others = of.get(spot.screenId);
    if (others === undefined) of.set(spot.screenId, [spot]);
    else others.push(spot);
  }
  const lastIssue = (id: string) => of.get(id)?.at(-1)?.issuedAt ?? 0;
  const shown = [...screens].sort((one, other) => lastIssue(other.id) - lastIssue(one.id)).slice(0, MOST_SCREENS);
  const list = byId("screens");
  const rows = shown.map((screen) => ({
    key: `${screen.orgToken}/${screen.id}`,
    says: `${screen.title}/${screen.location}/${screen.status}`,
    make: () => rowOf(screen),
  }));
  fillRows(list, rows, "no screens");
  shown.forEach(({ id }, index) => {
    const row = list.children[index];
    if (row !== undefined) drawNow(row, of.get(id) ?? [], now);
  });
}

function rowOf({ id, title, location, status }: DashboardView["screens"][number]): Node[] {
  const strip = element("div", "strip");
  strip.setAttribute("role", "img");
  const place = element("div", "quiet", `${location}${status === "APPROVED" ? "" : ` · ${status}`}`);
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
