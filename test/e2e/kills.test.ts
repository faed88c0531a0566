import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOADING_MS, MOMENT_MS } from "../../src/core/loop/state.ts";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedItem } from "../support/creatives/running-order.ts";
import { openEye, SPOILT } from "../support/display/eye.ts";
import { conclusive, type Punctuality, punctualityOf } from "../support/display/punctuality.ts";
import { FRAME_MS, type Frames, recordDisplay } from "../support/display/recording.ts";
import { type Sighting, sightingsIn } from "../support/display/sightings.ts";
import { heldUp, type StallWatch, watchStalls } from "../support/display/stalls.ts";
import { INSPECTED, type Inside, lookInside } from "../support/machine/inside.ts";
import { eventually, type LedgerSpot, type Running } from "../support/machine/processes.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const eye = await openEye();
const ITEM_MS = 3_500;
/** A spot of one item each, so that what is lost is told by its name. */
const items = [...catalogue.creatives, ...catalogue.creatives].slice(0, 12).map((creative, index) => ({
  creative,
  id: `item-${index}`,
}));

interface Blow {
  /** While this item is on air. */
  readonly at: number;
  readonly name: string;
  /** The item that it costs, if any. */
  readonly costs: number | null;
  /** One that it costs where it was still being loaded. */
  readonly mayCost?: number;
  /** What is killed and comes again as another process. */
  readonly part?: Part;
  /** Undefined while it is not the time. */
  blow(): Promise<true | undefined>;
}

type Part = "onAir" | "cued" | "slate" | "gpu" | "network";

const STANDSTILL_AT = 10;
/** Longer than the next item may load: time that stands still is not counted. */
const STILL_MS = LOADING_MS + 2_000;
/** A page that moves is on air when the GPU process is killed the second time. */
const PAGE_AT = 8;
/** A page's film has 20 pictures a second; one that stands still shows one or two of them. */
const MOVING_PICTURES = 6;

/** The GPU process goes once below a page that is cued and moves, once behind one that is on air. */
const BLOWS: readonly Blow[] = [
  { at: 1, name: "the renderer on air is killed", costs: 1, blow: () => kill("onAir") },
  { at: 3, name: "the renderer of the cued deck is killed", costs: 4, blow: () => kill("cued") },
  { at: 5, name: "the GPU process is killed", costs: null, part: "gpu", blow: () => kill("gpu") },
  {
    ...{ at: 6, name: "the network service is killed", costs: null, mayCost: 7 },
    ...{ part: "network", blow: () => kill("network") },
  },
  { at: PAGE_AT, name: "the GPU process is killed again", costs: null, part: "gpu", blow: () => kill("gpu") },
  { at: 9, name: "the slate's renderer is killed", costs: null, part: "slate", blow: () => kill("slate") },
  { at: STANDSTILL_AT, name: `the main process stands still for ${STILL_MS} ms`, costs: null, blow: standStill },
];

/** Two frames at 60 Hz, and a quarter of one for the stamps. */
const ON_TIME_MS = 2.25 * FRAME_MS;
/**
 * Without a GPU process nothing is drawn for a moment: the item that loses it and the next one may change late. Where the
 * next one was still loading, it begins as late as it may without house content in between.
 */
const AWAY_MS = MOMENT_MS + 200;
const boundMs = (index: number) =>
  BLOWS.some(({ at, part }) => part === "gpu" && (index === at || index === at + 1))
    ? ON_TIME_MS + AWAY_MS
    : ON_TIME_MS;

let rig: Rig;
let player: Running;
let inside: Inside;
let sightings: readonly Sighting[];
let ledger: readonly LedgerSpot[];
/** What is in sight and never should be, in all runs: none of it is the machine's fault. */
const spoilt: Sighting[] = [];
let stalls: StallWatch;
let punctuality: Punctuality;
/** The latest process of each part that was killed. */
const killed = new Map<Part, number>();
/** Pictures of its film that the page behind which the GPU process went showed in its last second. */
let lastPictures: ReadonlySet<number | null>;

beforeAll(async () => {
  punctuality = await conclusive("kills", play, close);
}, 500_000);

afterAll(close);

async function close(): Promise<void> {
  await inside?.close();
  await stalls?.stop();
  await rig?.close();
}

async function play(): Promise<Punctuality> {
  rig = await openRig({ width: 640, height: 360 });
  const spots = items.map(({ creative, id }) => ({ news: { ...plannedItem(creative, ITEM_MS), id }, ad: null }));
  await rig.emulator.next(spots);
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
  player = rig.play([INSPECTED, "--config", rig.configure()]);
  stalls = watchStalls(player, rig.display);
  inside = await lookInside(player);
  for (const { at, name, part, blow } of BLOWS) {
    await eventually(`item ${at - 1} to be over for when ${name}`, () => isOver(at - 1), 60_000);
    await eventually(name, blow, 30_000);
    if (part !== undefined) await eventually(`another process after ${name}`, () => replaced(part), 30_000);
  }
  await eventually("the last item's ending, and its proof", lastIsOver, 60_000);
  await inside.close();
  const stalled = await stalls.stop();
  const recorded = await recording.stop();
  sightings = sightingsIn(recorded, eye);
  spoilt.push(...inSight().filter(({ sight }) => SPOILT.includes(sight)));
  lastPictures = new Set(
    lastSecondOf(items[PAGE_AT]?.creative.name ?? "", recorded).map((frame) => eye.look(frame).picture),
  );
  // What stands still with its main process stays in sight, and the recording ends amid the last item.
  const timed = sparedInSight().flatMap((sighting, nth, all) => {
    const index = spared[nth] as number;
    const isTimed = index !== STANDSTILL_AT && nth < all.length - 1;
    return isTimed ? [{ ...sighting, durationMs: ITEM_MS, boundMs: boundMs(index) }] : [];
  });
  return punctualityOf(timed, heldUp(stalled, recorded.instants));
}

function isOver(index: number): true | undefined {
  return endingsIn(player.stderr).has(`item-${index}`) ? true : undefined;
}

async function lastIsOver(): Promise<true | undefined> {
  ledger = (await rig.emulator.ledger()).slice(0, items.length);
  const ending = endingsIn(player.stderr).get(`item-${items.length - 1}`);
  const isProved = Boolean(ledger.at(items.length - 1)?.news?.pops.length);
  return isProved || (ending !== undefined && ending !== "shown") ? true : undefined;
}

/** The processes by what they do; `null` unless one deck is on air and another is cued. */
const PIDS = `
  const metrics = electron.app.getAppMetrics();
  const [window] = electron.BaseWindow.getAllWindows();
  const views = window.contentView.children.map(({ webContents }) => [webContents.getURL(), webContents.getOSProcessId()]);
  const at = views.findIndex(([url]) => url.includes("/slate/"));
  const pids = at === 1 && views.length === 3 ? {
    cued: views[0][1], slate: views[1][1], onAir: views[2][1],
    gpu: metrics.find(({ type }) => type === "GPU")?.pid,
    network: metrics.find(({ name }) => name === "Network Service")?.pid,
  } : null;`;

/** Found and killed in one turn, so that it is the process it was; undefined while it is not the time. */
async function kill(part: Part): Promise<true | undefined> {
  const pid = await inside.ask<number | undefined>(
    `${PIDS} const pid = pids?.${part}; if (!pid) return undefined; process.kill(pid, "SIGKILL"); return pid;`,
  );
  if (pid === undefined) return undefined;
  killed.set(part, pid);
  return true;
}

/** Waits until a part that was killed is there again, as another process. */
async function replaced(part: Part): Promise<true | undefined> {
  const pid = await inside.ask<number | null>(`${PIDS} return pids?.${part} ?? null;`);
  return pid !== null && pid !== killed.get(part) ? true : undefined;
}

/** Not amid a take: what is painted meanwhile is heard of too late, and costs its item. */
async function standStill(): Promise<true | undefined> {
  if (!(await inside.ask<boolean>(`${PIDS} return pids !== null;`))) return undefined;
  process.kill(player.pid, "SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, STILL_MS));
  process.kill(player.pid, "SIGCONT");
  return true;
}

/** Items that no blow may touch. */
const spared = [...items.keys()].filter(
  (index) => !BLOWS.some(({ costs, mayCost }) => [costs, mayCost].includes(index)),
);

/** Sightings of them, as many as there were. */
function sparedInSight(): readonly Sighting[] {
  return inSight().filter(({ sight }) => spared.some((index) => items[index]?.creative.name === sight));
}

/** Whether loading ended or the process went is told by whichever is heard of first. */
const COST = ["crashed", "undecodable"];

describe("a player whose processes are killed while it plays", () => {
  const costly = BLOWS.flatMap(({ name, costs }) => (costs === null ? [] : [[name, costs] as const]));
  it.each(costly)("%s: costs item %i", (_name, costs) => {
    expect(COST).toContain(endingsIn(player.stderr).get(`item-${costs}`));
  });

  const free = BLOWS.flatMap(({ name, costs, at }) => (costs === null ? [[name, at] as const] : []));
  it.each(free)("%s: costs nothing, and item %i on air is shown to its end", (_name, at) => {
    expect(endingsIn(player.stderr).get(`item-${at}`)).toBe("shown");
  });

  const risky = BLOWS.flatMap(({ name, mayCost }) => (mayCost === undefined ? [] : [[name, mayCost] as const]));
  it.each(risky)("%s: costs item %i at most where it was being loaded", (_name, mayCost) => {
    expect([...COST, "not-ready", "shown"]).toContain(endingsIn(player.stderr).get(`item-${mayCost}`));
  });

  it("loses no other item", () => {
    const endings = endingsIn(player.stderr);
    expect(spared.map((index) => [index, endings.get(`item-${index}`)])).toEqual(
      spared.map((index) => [index, "shown"]),
    );
  });

  it("proves what was shown, once, and nothing else", () => {
    const endings = endingsIn(player.stderr);
    expect(ledger.map(({ news }) => news?.pops.map(({ verdict }) => verdict))).toEqual(
      items.map(({ id }) => (endings.get(id) === "shown" ? ["counted"] : [])),
    );
  });

  it("is never black, white or foreign", () => {
    expect(spoilt).toEqual([]);
  });

  it("shows every other item in its turn, for as long as planned", () => {
    expect(sparedInSight().map(({ sight }) => sight)).toEqual(spared.map((index) => items[index]?.creative.name));
    expect(punctuality.wrong).toEqual([]);
  });

  it("shows all of a page in sight, moving, when its graphics were lost: what is left of the old one may have holes", () => {
    expect(lastPictures).not.toContain(null);
    expect(lastPictures.size).toBeGreaterThanOrEqual(MOVING_PICTURES);
  });

  it("was not restarted", () => {
    expect(player.stderr.filter((line) => line.includes("player started"))).toHaveLength(1);
  });

  it("ends with 0", async () => {
    expect(await player.stop()).toBe(0);
  });
});

/** From the first planned item to the last. */
function inSight(): readonly Sighting[] {
  const first = sightings.findIndex(({ sight }) => sight === items[0]?.creative.name);
  const last = sightings.findLastIndex(({ sight }) => sight === items.at(-1)?.creative.name);
  return sightings.slice(first, last + 1);
}

/** Frames of the last second in which a creative was in sight the first time. */
function lastSecondOf(name: string, { frames, instants }: Frames): readonly Buffer[] {
  const { firstFrame, frames: count } = inSight().find(({ sight }) => sight === name) ?? { firstFrame: 0, frames: 0 };
  const until = firstFrame + count;
  const from = instants.findIndex((at) => at > (instants[until - 1] ?? 0) - 1_000);
  return frames.slice(Math.max(from, firstFrame), until);
}
