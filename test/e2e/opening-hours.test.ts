import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VendorClient } from "../../src/client/vendor-client.ts";
import { WARM_UP_MS } from "../../src/core/displays/panel.ts";
import { readOpening } from "../../src/core/opening-hours.ts";
import { readCatalogue } from "../support/creatives/catalogue.ts";
import { plannedSpots, shownItems } from "../support/creatives/running-order.ts";
import { BLACK, HOUSE, openEye, type Sight } from "../support/display/eye.ts";
import { conclusive, type Punctuality, punctualityOf, timed } from "../support/display/punctuality.ts";
import { type Sighting, sightingsIn } from "../support/display/sightings.ts";
import { heldUp, watchStalls } from "../support/display/stalls.ts";
import { watchDisplay } from "../support/display/watching.ts";
import { eventually } from "../support/machine/processes.ts";
import { readHealth } from "../support/player/health.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const catalogue = readCatalogue();
const eye = await openEye();
const spots = plannedSpots(catalogue, 30);
const creatives = shownItems(spots).map(({ creative }) => creative);

let rig: Rig;
let opening: readonly Sighting[];
let closing: readonly Sighting[];
let healthWhenClosed: { status: number; body: unknown };
/** Spot requests by the network's clock, which the player goes by. */
let asked: readonly number[];
let proved: number;
let exitCode: number | string;
/** What the displays were told, one order after the other. */
let orders: readonly string[];
const { PATH } = process.env;

/** In Hamburg, in winter, an hour ahead. */
const OPENS = Date.parse("2026-01-01T07:00:00Z");
const CLOSES = Date.parse("2026-01-01T08:00:00Z");

beforeAll(async () => {
  await conclusive("opening-hours", openAndClose, () => rig.close());
}, 360_000);

/** A morning and an evening; where the machine stood still, what was seen between items says nothing. */
async function openAndClose(): Promise<Pick<Punctuality, "inconclusive">> {
  rig = await openRig({ width: 640, height: 360 });
  standInForXset(join(rig.home, "bin"));
  await setHours("thu 08:00-09:00");
  await rig.emulator.next(spots);
  const config = rig.configure({ openingHours: { respect: true } });

  await setClock(OPENS - WARM_UP_MS - 20_000);
  const morning = await watchDisplay(rig.display, eye);
  const first = rig.play(["--config", config]);
  await closed();
  healthWhenClosed = await askHealth();
  await morning.until([(sight) => sight === BLACK, isItem]);
  opening = sightingsIn(await morning.stop(), eye);
  await first.stop();

  // Another run, since what was asked for an hour ago could not be proved any more.
  await setClock(CLOSES - 20_000);
  const provedBefore = await countProved();
  const evening = await watchDisplay(rig.display, eye);
  const second = rig.play(["--config", config]);
  const stalls = watchStalls(second, rig.display);
  await evening.until([isItem]);
  await closed();
  await evening.until([(sight) => sight === BLACK]);
  await eventually("all proofs", async () => ((await readHealth(rig.home))?.proofs.owed === 0 ? true : undefined));
  const stalled = await stalls.stop();
  const recorded = await evening.stop();
  closing = sightingsIn(recorded, eye);
  proved = (await countProved()) - provedBefore;
  asked = await spotRequests();
  exitCode = await second.stop();
  orders = readFileSync(join(rig.home, "orders"), "utf8").trim().split("\n");
  const strays = whilePlaying(closing).filter(({ sight }) => !isItem(sight));
  return punctualityOf(timed(strays, [], 0), heldUp(stalled, recorded.instants));
}

afterAll(() => {
  process.env.PATH = PATH;
  return rig?.close();
});

/** A virtual display cannot be switched off: this notes what a real one would have been told, questions aside. */
function standInForXset(folder: string): void {
  mkdirSync(folder);
  writeFileSync(join(folder, "xset"), '#!/bin/sh\n[ "$1" = q ] || echo "$@" >> "$HOME/orders"\n', { mode: 0o755 });
  process.env.PATH = `${folder}:${PATH}`;
}

async function setHours(hours: string): Promise<void> {
  const reading = readOpening(hours);
  if (reading.kind === "unreadable") throw new Error(reading.problems.join());
  const { baseUrl, orgToken } = rig.emulator;
  const service = new VendorClient({ baseUrl, orgToken });
  const answer = await service.updateLocation("loc_harbour", { opening_168: [...reading.hours] });
  if (answer.kind !== "ok") throw new Error(answer.kind);
}

function setClock(at: number): Promise<void> {
  return rig.emulator.control("PUT", "/control/clock", { now: new Date(at).toISOString() });
}

async function askHealth(): Promise<{ status: number; body: unknown }> {
  const { port } = JSON.parse(readFileSync(`${rig.home}/data/health.json`, "utf8")) as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/health`);
  return { status: response.status, body: await response.json() };
}

async function spotRequests(): Promise<readonly number[]> {
  const response = await fetch(`${rig.emulator.controlUrl}/control/journal?route=spot&limit=1000`);
  const calls = (await response.json()) as { at: string }[];
  return calls.map(({ at }) => Date.parse(at));
}

/** From the first item to the last. */
function whilePlaying(seen: readonly Sighting[]): readonly Sighting[] {
  const first = seen.findIndex(({ sight }) => isItem(sight));
  const last = seen.findLastIndex(({ sight }) => isItem(sight));
  return seen.slice(first, last + 1);
}

function isItem(sight: Sight): boolean {
  return creatives.includes(sight);
}

async function closed(): Promise<void> {
  const isClosed = async () => ((await readHealth(rig.home))?.status === "closed" ? true : undefined);
  await eventually("a closed screen", isClosed, 60_000);
}

async function countProved(): Promise<number> {
  const items = (await rig.emulator.ledger()).flatMap(({ news, ad }) => [news, ad]);
  return items.filter((item) => item?.pops.some(({ verdict }) => verdict === "counted")).length;
}

describe("a screen that respects its location's opening hours", () => {
  it("is black until it opens, and plays then, with nothing but house content before the first item", () => {
    const seen = opening.map(({ sight }) => sight);
    const first = seen.findIndex(isItem);
    const lastBlack = seen.lastIndexOf(BLACK, first);
    expect(lastBlack).toBeGreaterThanOrEqual(0);
    expect(seen.slice(lastBlack + 1, first).filter((sight) => sight !== HOUSE)).toEqual([]);
  });

  it("plays until it closes, and is black then, with nothing between the last item and black", () => {
    const playing = whilePlaying(closing);
    expect(playing.map(({ sight }) => sight).filter((sight) => !isItem(sight))).toEqual([]);
    const after = closing.slice(closing.indexOf(playing.at(-1) as Sighting) + 1);
    expect(after.map(({ sight }) => sight)).toEqual([BLACK]);
  });

  it("asks for spots only while it is open", () => {
    expect(asked.length).toBeGreaterThan(0);
    // The time that an answer tells is in whole seconds.
    expect(asked.filter((at) => at < OPENS || at > CLOSES + 1_000)).toEqual([]);
  });

  it("owes a proof for every item that was seen, the one at closing time included", () => {
    expect(proved).toBe(closing.filter(({ sight }) => isItem(sight)).length);
  });

  it("has its display switched off while it is closed, but for a while before it opens, and leaves it on in the end", () => {
    const [on, off] = ["dpms force on", "dpms force off"];
    // Whether it is told to be on before the hours are known depends on which is read first.
    expect(orders.slice(orders.indexOf(off))).toEqual([off, on, on, off, on]);
  });

  it("is well while it is closed", () => {
    expect(healthWhenClosed).toMatchObject({
      status: 200,
      body: { status: "closed", onAir: "nothing", lastError: null },
    });
  });

  it("ends with 0 when it is asked to stop", () => {
    expect(exitCode).toBe(0);
  });
});
