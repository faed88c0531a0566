import type { DashboardView, ViewedSpot } from "../control/dashboard-view.ts";
import { byId, element, fillRows, type Row } from "./dom.ts";
import { share, timeOfDay } from "./words.ts";

const MOST_ROWS = 60;

/** Draws the figures at the top, the newest spots and the violations. */
export function drawLedger({ spots, totals, violations, violationCount }: DashboardView): void {
  drawFigures([
    ["proved", share(totals.proved, totals.items), false],
    [totals.spots === 1 ? "spot" : "spots", totals.spots.toLocaleString("en"), false],
    ["with an ad", share(totals.filled, totals.spots), false],
    [violationCount === 1 ? "violation" : "violations", violationCount.toLocaleString("en"), violationCount > 0],
  ]);
  fillRows(byId("ledger"), spots.slice(-MOST_ROWS).reverse().map(spotRow), "no spots yet");
  const rows = violations.map(({ violation, at, screen_id, requestId, detail }, index) => ({
    key: `${violationCount - index}/${violation}/${requestId ?? screen_id}`,
    says: detail,
    make: () => [
      element("strong", "bad grow", violation),
      element("span", "quiet", `${screen_id ?? ""} ${timeOfDay(Date.parse(at))}`),
      element("span", "full", detail),
    ],
  }));
  fillRows(byId("violations"), rows, "none: every proof was an honest one");
}

function drawFigures(figures: readonly (readonly [label: string, value: string, bad: boolean])[]): void {
  const list = byId("figures");
  figures.forEach(([label, value, bad], index) => {
    const there = list.children[index] ?? list.appendChild(element("div", "", element("dt", ""), element("dd", "")));
    there.className = bad ? "bad" : "";
    const [term, said] = there.children;
    if (term !== undefined) term.textContent = label;
    if (said !== undefined) said.textContent = value;
  });
}

function spotRow({ requestId, screenId, issuedAt, billable, state, items }: ViewedSpot): Row {
  const tone = { proved: "good", open: "waiting", lapsed: "bad" }[state];
  const what = items.map(({ name, provedAt }) => `${name}${provedAt === null ? "" : " ✓"}`).join(" · ");
  return {
    key: requestId,
    says: `${state}/${what}`,
    make: () => [
      element("span", "quiet", timeOfDay(issuedAt)),
      element("span", "quiet grow", `${screenId}${billable ? "" : ", not billable"}`),
      element("span", tone, state),
      element("span", "full", what || "empty"),
    ],
  };
}
