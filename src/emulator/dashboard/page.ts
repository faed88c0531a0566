import type { DashboardView } from "../control/dashboard.ts";
import { byId } from "./dom.ts";
import { addCall, drawCalls, drawLedger, MOST_CALLS } from "./ledger.ts";
import { drawPlots, forgetPlots } from "./plots.ts";
import { drawInventory, drawScreens } from "./screens.ts";
import { drawBehaviour, drawClock, drawFaults, drawSnapshots, drawTime, makeClock, makeSnapshots } from "./settings.ts";

/** The view that is on the page, and when it came by the browser's monotonic clock. */
let seen: { readonly view: DashboardView; readonly at: number } | null = null;

/** However much happens, the page looks no more often than this, and rests longer than looking took. */
const SHORTEST_REST_MS = 250;
const REST_PER_LOOK = 4;
const TICK_MS = 1_000;
/** Time alone changes what is open, lapsed and due: with a silent network the page looks this often. */
const QUIET_MS = 10_000;
/** The browser comes back by itself after a break, but not after a refusal. */
const RETRY_MS = 3_000;
const RESIZED_MS = 200;

let stale = true;
let looking = false;

makeSnapshots();
makeClock(() => seen?.view.clock ?? null);
let stream: EventSource | null = null;
follow();
document.addEventListener("visibilitychange", follow);
void look();
setInterval(tick, TICK_MS);
setInterval(freshen, QUIET_MS);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
let resized = 0;
addEventListener("resize", () => {
  clearTimeout(resized);
  resized = setTimeout(redraw, RESIZED_MS);
});

/**
 * Follows the journal: every call may have changed something. In a tab that nobody sees it does not: a stream keeps a
 * connection, and of six to a host, which is all that browsers open, none would be left for a seventh tab, or for buttons.
 */
function follow(): void {
  stream?.close();
  stream = null;
  if (document.hidden) return;
  const opened = new EventSource(`/control/journal/stream?limit=${MOST_CALLS}`);
  stream = opened;
  opened.addEventListener("open", () => {
    connected("live");
    freshen();
  });
  opened.addEventListener("call", ({ data }) => {
    addCall(data);
    freshen();
  });
  opened.addEventListener("error", () => {
    connected("reconnecting");
    if (opened.readyState === EventSource.CLOSED) setTimeout(follow, RETRY_MS);
  });
}

function freshen(): void {
  stale = true;
  void look();
}

/** Looks until what is on the page is what there is. */
async function look(): Promise<void> {
  if (looking) return;
  looking = true;
  try {
    while (stale) {
      stale = false;
      const begunAt = performance.now();
      const view = await viewed();
      if (view !== null) {
        seen = { view, at: performance.now() };
        draw(view);
      }
      await rest(Math.max(SHORTEST_REST_MS, (performance.now() - begunAt) * REST_PER_LOOK));
    }
  } finally {
    // Whatever one view had drawn wrong, the next one is looked at.
    looking = false;
  }
}

/** What there is now; `null` where the emulator went away, in the middle of its answer too. */
async function viewed(): Promise<DashboardView | null> {
  try {
    const answer = await fetch("/dashboard/view");
    return answer.ok ? ((await answer.json()) as DashboardView) : null;
  } catch {
    return null;
  }
}

function draw(view: DashboardView): void {
  drawLedger(view);
  drawPlots(view.spots);
  drawInventory(view);
  drawFaults(view);
  drawBehaviour(view);
  drawSnapshots(view);
  drawClock(view.clock);
  drawCalls();
  tick();
}

/** What moves with the time alone. */
function tick(): void {
  if (seen === null) return;
  const { mode, now, speed } = seen.view.clock;
  const virtual = mode === "frozen" ? now : now + (performance.now() - seen.at) * speed;
  drawTime(virtual);
  drawScreens(seen.view, virtual);
}

function redraw(): void {
  forgetPlots();
  if (seen !== null) drawPlots(seen.view.spots);
}

function connected(state: "live" | "reconnecting"): void {
  const shown = byId("connection");
  if (shown.textContent !== state) shown.textContent = state;
  shown.className = `connection ${state}`;
}

function rest(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
