import type { DashboardView, ViewedSpot } from "../control/dashboard.ts";
import { byId, element, fillRows, type Row, share, timeOfDay } from "./dom.ts";

/** A call as the journal's stream tells it, as far as it is shown. */
interface Call {
  readonly id: number;
  readonly at: string;
  readonly listener: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly fault: string | null;
  readonly near_miss: string | null;
}

const MOST_ROWS = 60;

/** The calls that are kept on the page. */
export const MOST_CALLS = 100;

const calls: Call[] = [];

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

/** Takes a call in; it is shown with the next `drawCalls`. */
export function addCall(text: string): void {
  const call = JSON.parse(text) as Call;
  // The numbers begin anew when the journal was cleared or the emulator restarted.
  if (call.id <= (calls[0]?.id ?? 0)) calls.length = 0;
  calls.unshift(call);
  calls.length = Math.min(calls.length, MOST_CALLS);
}

/** Draws the calls, newest first. */
export function drawCalls(): void {
  fillRows(byId("calls"), calls.map(callRow), "no calls yet");
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

function spotRow({ requestId, orgToken, screenId, issuedAt, billable, state, items }: ViewedSpot): Row {
  const tone = { proved: "good", open: "waiting", lapsed: "bad" }[state];
  const what = items.map(({ name, provedAt }) => `${name}${provedAt === null ? "" : " ✓"}`).join(" · ");
  return {
    key: requestId,
    says: `${state}/${what}`,
    make: () => {
      const screen = element("span", "quiet grow", `${screenId}${billable ? "" : ", not billable"}`);
      screen.title = `${screenId} of ${orgToken}`;
      const at = element("span", "quiet", timeOfDay(issuedAt));
      return [at, screen, element("span", tone, state), element("span", "full", what || "empty")];
    },
  };
}

function callRow({ id, at, listener, method, path, status, fault, near_miss }: Call): Row {
  const tone = status === 0 || status >= 400 ? "bad" : "good";
  const why = fault === null ? near_miss : `fault ${fault}`;
  return {
    key: `${id}`,
    says: at,
    make: () => {
      const where = element("span", "path", `${method} ${path}`);
      where.title = path;
      return [
        element("span", "quiet", timeOfDay(Date.parse(at))),
        element("span", tone, status === 0 ? "cut" : `${status}`),
        element("span", "quiet", listener),
        where,
        ...(why === null ? [] : [element("span", "bad why", why)]),
      ];
    },
  };
}
