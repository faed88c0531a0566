import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WholeItem } from "../../src/emulator/spot/planned.ts";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import {
  HOSTILE,
  type HostilePage,
  type HostileSite,
  hostileFilm,
  openHostileSite,
} from "../support/creatives/hostile-site.ts";
import { PESTERING, REFUSALS } from "../support/creatives/pestering.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { HOUSE, openEye } from "../support/display/eye.ts";
import { conclusive, type Punctuality, punctualityOf, timed } from "../support/display/punctuality.ts";
import { FRAME_MS, recordDisplay } from "../support/display/recording.ts";
import { type Sighting, sightingsIn } from "../support/display/sightings.ts";
import { heldUp, type StallWatch, watchStalls } from "../support/display/stalls.ts";
import { INSPECTED, lookInside, stallClips } from "../support/machine/inside.ts";
import { eventually, type LedgerSpot, type Running } from "../support/machine/processes.ts";
import { onAirIn } from "../support/player/health.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

interface Row extends HostilePage {
  readonly durationMs: number;
  /** Its item names an address that leads to it. */
  readonly redirected?: true;
  /** Why its item failed; `null` for a page whose attempts are refused and that plays on. */
  readonly fails: string | null;
}

const SPIN = "for (;;) {}";
/** A clip that moves for a while and then stands still. */
const STALLS = "stalls";
const MOVES_MS = 1_000;
/** Twice what it takes to fill a gigabyte where memory is slow: 4 to 6 s were seen. */
const FILLING_MS = 10_000;

const rows: readonly Row[] = [
  { name: "pesters", onAir: PESTERING, durationMs: 3_000, fails: null },
  { name: "spins-on-air", onAir: SPIN, durationMs: 5_500, fails: "hung" },
  { name: STALLS, durationMs: 5_500, fails: "stalled" },
  { name: "throws", loading: 'throw new Error("thrown")', onAir: "null.x", durationMs: 2_000, fails: null },
  { name: "spins-when-taken", hook: SPIN, durationMs: 3_000, fails: "not-painted" },
  { name: "spins-loading", loading: SPIN, durationMs: 6_500, fails: "hung" },
  { name: "reloads", onAir: "setInterval(() => location.reload(), 100)", durationMs: 2_000, fails: null },
  {
    name: "redirected-reloads",
    redirected: true,
    loading: 'new Image().src = "/redirect?to=/reloads.html"',
    onAir: "setInterval(() => location.reload(), 100)",
    durationMs: 2_000,
    fails: null,
  },
  { name: "closes-itself", onAir: "close()", durationMs: 2_500, fails: "forbidden" },
  { name: "goes-back", onAir: "history.back()", durationMs: 2_500, fails: "forbidden" },
  { name: "never-loads", loading: 'new Image().src = "/never"', durationMs: 6_500, fails: "not-ready" },
  { name: "leaves", onAir: 'location.href = "/elsewhere.html"', durationMs: 2_500, fails: "forbidden" },
  {
    name: "is-refreshed-away",
    onAir: `document.head.insertAdjacentHTML("beforeend", '<meta http-equiv="refresh" content="1; url=/elsewhere.html">')`,
    durationMs: 3_000,
    fails: "forbidden",
  },
  {
    name: "eats-heap",
    onAir: "const all = []; setInterval(() => all.push(new Array(4e6).fill(1.5)), 20)",
    durationMs: FILLING_MS,
    fails: "memory",
  },
  {
    name: "eats-buffers",
    onAir: "const all = []; setInterval(() => all.push(new Uint8Array(64 * 2 ** 20).fill(1)), 10)",
    durationMs: FILLING_MS,
    fails: "memory",
  },
  {
    name: "starts-workers",
    onAir: `const url = URL.createObjectURL(new Blob(["self.kept = new Uint8Array(2 ** 23).fill(1)"]));
      setInterval(() => new Worker(url), 5);`,
    durationMs: FILLING_MS,
    fails: "memory",
  },
  {
    name: "spins-in-workers",
    onAir: `const url = URL.createObjectURL(new Blob(["for (;;) {}"]));
      for (let i = 0; i < 64; i++) new Worker(url);`,
    durationMs: 3_000,
    fails: null,
  },
  {
    name: "opens-frames",
    onAir: 'for (let i = 0; i < 1000; i++) document.body.append(document.createElement("iframe"))',
    durationMs: 3_000,
    fails: null,
  },
  {
    name: "fills-storage",
    // Electron ends the first at ten times what browsers do, after some 50 of these.
    onAir: `try { for (let i = 0; ; i++, await new Promise(requestAnimationFrame)) localStorage.setItem(i, "x".repeat(2 ** 20)); } catch {}
      const cache = await caches.open("x").catch(() => null);
      for (let i = 0; cache && i < 20; i++) await cache.put("/" + i, new Response(new Uint8Array(2 ** 23))).catch(() => {});`,
    durationMs: FILLING_MS,
    fails: null,
  },
  {
    name: "wants-to-stay",
    onAir:
      'addEventListener("beforeunload", (e) => { e.preventDefault(); e.returnValue = "no"; }); onunload = () => { for (;;) {} }',
    durationMs: 2_000,
    fails: null,
  },
];

const catalogue = readCatalogue();
const eye = await openEye({ creatives: [HOSTILE], films: [hostileFilm(catalogue)] });
const clip = catalogue.creatives.find(({ name }) => name === "news-sport") ?? HOSTILE;
/** Pictures and clips, so that a page is never beside a page that might be taken for it. */
const good = catalogue.creatives.filter((creative) => creative.mimeType !== "text/html" && creative !== clip);
const GOOD_MS = 1_500;
/** Two frames at 60 Hz, and a quarter of one for the stamps. */
const ON_TIME_MS = 2.25 * FRAME_MS;
/** How much longer one proof may be on its way than another. */
const DELIVERY_MS = 500;

/** Each hostile item stands between two good ones. */
const planned = rows.map((row, index) => ({ row, mate: good[index % good.length] ?? HOSTILE }));
const opening = good.at(-1) ?? HOSTILE;

let site: HostileSite;
let rig: Rig;
let player: Running;
let sightings: readonly Sighting[];
let ledger: readonly LedgerSpot[];
let stalls: StallWatch;
let punctuality: Punctuality;

beforeAll(async () => {
  punctuality = await conclusive("hostile", play, close);
}, 620_000);

afterAll(close);

async function close(): Promise<void> {
  await stalls?.stop();
  await rig?.close();
  await site?.close();
}

async function play(): Promise<Punctuality> {
  site = await openHostileSite(rows, catalogue);
  rig = await openRig({ width: 640, height: 360 });
  const spots = planned.map(({ row, mate }) => ({
    newsFirst: true,
    billable: true,
    news: { ...hostileItem(row), id: row.name, title: row.name },
    ad: plannedItem(mate, GOOD_MS),
  }));
  await rig.emulator.next([{ newsFirst: true, news: plannedItem(opening, GOOD_MS), ad: null }, ...spots]);
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
  player = rig.play([INSPECTED, "--config", rig.configure()]);
  stalls = watchStalls(player, rig.display);
  await stallInItsTurn();
  const stalled = await stalls.until("the last good item's proof", lastProved, 240_000);
  const recorded = await recording.stop();
  sightings = sightingsIn(recorded, eye);
  // From the first frame of a good item to that of the next one: what is in between is the hostile one's own affair.
  const starts = inSight().filter(({ sight }) => isGood(sight));
  const turns = starts.slice(0, -1).map((start, index) => {
    return { ...start, lengthMs: (starts[index + 1]?.startAt ?? 0) - start.startAt };
  });
  const plannedMs = rows.map(({ durationMs }) => GOOD_MS + durationMs);
  return punctualityOf(timed(turns, plannedMs, ON_TIME_MS), heldUp(stalled, recorded.instants));
}

async function stallInItsTurn(): Promise<void> {
  const inside = await lookInside(player);
  await eventually(STALLS, async () => (await onAirIn(rig.home)) === STALLS || undefined, 60_000, MOVES_MS);
  await stallClips(inside);
  await inside.close();
}

function hostileItem({ name, durationMs, redirected }: Row): WholeItem {
  if (name === STALLS) return plannedItem(clip, durationMs);
  const url = new URL(site.url(name));
  const from = redirected ? new URL(`/redirect?to=${url.pathname}`, url) : url;
  return { ...plannedItem(HOSTILE, durationMs), url: from.href };
}

async function lastProved(): Promise<true | undefined> {
  ledger = (await rig.emulator.ledger()).slice(0, 1 + rows.length);
  return ledger[rows.length]?.ad?.pops.length ? true : undefined;
}

describe("hostile creatives between good ones, watched from outside at 60 frames a second", () => {
  it.each(rows.map(({ name, fails }) => [name, fails] as const))("%s: failed as %s", (name, fails) => {
    expect(endingsIn(player.stderr).get(name)).toBe(fails ?? "shown");
  });

  it.each(rows.map(({ name, fails }) => [name, fails === null ? ["counted"] : []] as const))(
    "%s: proofs %j",
    (name, verdicts) => {
      const spot = ledger.find(({ news }) => news?.id === name);
      expect(spot?.news?.pops.map(({ verdict }) => verdict)).toEqual(verdicts);
    },
  );

  it("are never followed or broken by a black, white or foreign frame", () => {
    expect(inSight().filter(({ sight }) => !isKnown(sight))).toEqual([]);
  });

  it("leave every good item its place in the order and its proof", () => {
    const names = inSight().flatMap(({ sight }) => (isGood(sight) ? [sight] : []));
    expect(names).toEqual([opening, ...planned.map(({ mate }) => mate)].map(({ name }) => name));
    expect(ledger.slice(1).map(({ ad }) => ad?.pops.map(({ verdict }) => verdict))).toEqual(
      rows.map(() => ["counted"]),
    );
  });

  it("leave every good item its planned instant", () => {
    expect(punctuality.wrong).toEqual([]);
  });

  it("do not move the schedule as a whole, by the clock of the network that counts the proofs", () => {
    const proved = ledger.slice(1).map(({ ad }) => Date.parse(ad?.pops[0]?.at ?? ""));
    const plannedMs = rows.slice(1).reduce((sum, { durationMs }) => sum + durationMs + GOOD_MS, 0);
    const movedMs = Math.abs((proved.at(-1) ?? 0) - (proved[0] ?? 0) - plannedMs);
    expect(movedMs).toBeLessThan(DELIVERY_MS + punctuality.excusedMs);
  });

  it.each(REFUSALS)("are refused: %s", (what, refusal) => {
    expect(site.reports.get(what)).toMatch(refusal);
  });

  it("leave no file behind", () => {
    const files = readdirSync(rig.home, { recursive: true, encoding: "utf8" });
    expect(files).toContain("config.json");
    expect(files.filter((file) => file.includes("evil"))).toEqual([]);
  });

  it("leave a player that ends with 0", async () => {
    expect(await player.stop()).toBe(0);
  });
});

/** From the first good item on. */
function inSight(): readonly Sighting[] {
  const first = sightings.findIndex(({ sight }) => sight === opening.name);
  const last = sightings.findLastIndex(({ sight }) => sight === planned.at(-1)?.mate.name);
  return sightings.slice(first, last + 1);
}

function isKnown(sight: string): boolean {
  return [HOUSE, HOSTILE.name, clip.name].includes(sight) || isGood(sight);
}

function isGood(sight: string): boolean {
  return good.some(({ name }) => name === sight);
}
