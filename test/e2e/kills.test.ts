import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readCatalogue } from "../support/catalogue.ts";
import { INSPECTED, type Inside, lookInside } from "../support/inside.ts";
import { endingsIn } from "../support/log-lines.ts";
import { eventually, type LedgerSpot, type Running } from "../support/processes.ts";
import { recordDisplay } from "../support/recording.ts";
import { openRig, type Rig } from "../support/rig.ts";
import { plannedItem } from "../support/running-order.ts";
import { HOUSE, type Sighting, sightingsIn } from "../support/sightings.ts";
import { type StallWatch, watchStalls } from "../support/stalls.ts";

const catalogue = readCatalogue();
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
  /** Undefined while it is not the time. */
  blow(): Promise<true | undefined>;
}

const STANDSTILL_AT = 10;

/** The GPU process goes once below a page that is cued and moves, once behind one that is on air. */
const BLOWS: readonly Blow[] = [
  { at: 1, name: "the renderer on air is killed", costs: 1, blow: () => kill("onAir") },
  { at: 3, name: "the renderer of the cued deck is killed", costs: 4, blow: () => kill("cued") },
  { at: 5, name: "the GPU process is killed", costs: null, blow: () => kill("gpu") },
  { at: 6, name: "the network service is killed", costs: null, mayCost: 7, blow: () => kill("network") },
  { at: 8, name: "the GPU process is killed again", costs: null, blow: killBehindPage },
  { at: 9, name: "the slate's renderer is killed", costs: null, blow: () => kill("slate") },
  { at: STANDSTILL_AT, name: "the main process stands still for 5 s", costs: null, blow: standStill },
];

const STILL_MS = 5_000;
/** Two frames at 60 Hz, and those of a moment in which the GPU process is away. */
const ON_TIME_MS = 34 + 200;

let rig: Rig;
let player: Running;
let inside: Inside;
let sightings: readonly Sighting[];
let ledger: readonly LedgerSpot[];
let stalls: StallWatch;
let stalledMs: number;
let isPageAnew = false;

beforeAll(async () => {
  rig = await openRig({ width: 960, height: 540 });
  const spots = items.map(({ creative, id }) => ({ news: { ...plannedItem(creative, ITEM_MS), id }, ad: null }));
  await rig.emulator.next(spots);
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height);
  stalls = watchStalls();
  player = rig.play([INSPECTED, "--config", rig.configure()]);
  inside = await lookInside(player);
  for (const { at, name, blow } of BLOWS) {
    await eventually(`item ${at - 1} to be over for when ${name}`, () => isOver(at - 1), 60_000);
    await eventually(name, blow, 30_000);
  }
  await eventually("the last item's proof", lastProved, 60_000);
  inside.close();
  stalledMs = await stalls.stop();
  sightings = sightingsIn(await recording.stop(), catalogue);
}, 240_000);

afterAll(async () => {
  inside?.close();
  await stalls?.stop();
  await rig?.close();
});

function isOver(index: number): true | undefined {
  return endingsIn(player.stderr).has(`item-${index}`) ? true : undefined;
}

async function lastProved(): Promise<true | undefined> {
  ledger = (await rig.emulator.ledger()).slice(0, items.length);
  return ledger.at(items.length - 1)?.news?.pops.length ? true : undefined;
}

type Part = "onAir" | "cued" | "slate" | "gpu" | "network";

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
  return inside.ask(
    `${PIDS} const pid = pids?.${part}; if (!pid) return undefined; process.kill(pid, "SIGKILL"); return true;`,
  );
}

/** Also sees whether the page in sight is another soon after: what is left of the old one may be full of holes. */
async function killBehindPage(): Promise<true | undefined> {
  const onAir = () => inside.ask<number | null>(`${PIDS} return pids?.onAir ?? null;`);
  const before = await onAir();
  if ((await kill("gpu")) === undefined) return undefined;
  const isAnother = async () => ![before, null].includes(await onAir()) || undefined;
  isPageAnew = await eventually("the page to be loaded anew", isAnother, ITEM_MS / 2).catch(() => false);
  return true;
}

/** Not amid a take: what is painted meanwhile is heard of too late, and costs its item. */
async function standStill(): Promise<true | undefined> {
  if (!(await inside.ask<boolean>(`${PIDS} return pids !== null;`))) return undefined;
  process.kill(player.pid, "SIGSTOP");
  await new Promise((resolve) => setTimeout(resolve, STILL_MS));
  process.kill(player.pid, "SIGCONT");
  return true;
}

const costsOf = (index: number) => (blow: Blow) => blow.costs === index || blow.mayCost === index;

describe("a player whose processes are killed while it plays", () => {
  it.each(BLOWS.map(({ name, costs }) => [name, costs] as const))("%s: costs item %s", (_name, costs) => {
    const ending = endingsIn(player.stderr).get(`item-${costs}`);
    // Whether loading ended or the process went is told by whichever is heard of first.
    expect([undefined, "crashed", "undecodable"].includes(ending)).toBe(true);
    expect(ending === undefined).toBe(costs === null);
  });

  it("loses no other item", () => {
    const spared = items.flatMap((_, index) => (BLOWS.some(costsOf(index)) ? [] : [index]));
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
    const known = new Set<string>([HOUSE, ...catalogue.creatives.map(({ name }) => name)]);
    expect(inSight().filter(({ sight }) => !known.has(sight))).toEqual([]);
  });

  it("shows every other item in its turn, for as long as planned", () => {
    const seen = inSight().filter(({ sight }) => sight !== HOUSE);
    const spared = items.flatMap(({ creative: { name } }, index) =>
      BLOWS.some(costsOf(index)) ? [] : [{ name, index }],
    );
    const found = seen.filter(({ sight }) => spared.some(({ name }) => name === sight));
    expect(found.map(({ sight }) => sight)).toEqual(spared.map(({ name }) => name));
    // What nobody ends stays in sight, and the recording ends amid the last one.
    const timed = found.filter((_, index) => spared[index]?.index !== STANDSTILL_AT && index < found.length - 1);
    const off = timed.filter(({ lengthMs }) => Math.abs(lengthMs - ITEM_MS) > ON_TIME_MS + stalledMs);
    expect(off).toEqual([]);
  });

  it("loads a page in sight anew when its graphics were lost", () => {
    expect(isPageAnew).toBe(true);
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
