import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { beforeEach, describe, expect, it } from "vitest";
import { bytesOnDisk } from "../../../src/core/media/cache-policy.ts";
import { type Item, type Playout, playoutsOf } from "../../../src/core/spot.ts";
import { ItemMedia, LATE_DOWNLOAD_MS, MOST_LATE_DOWNLOADS } from "../../../src/player/screen/item-media.ts";
import type { Recording } from "../../../src/player/screen/stage.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import {
  halting,
  type MediaOrigin,
  mediaOrigin,
  type OpenedCache,
  openMediaCache,
  png,
  send,
} from "../../support/player/media-origin.ts";
import { anItem, aSpot } from "../../support/player/spots.ts";

const PNG = png(1_000);

let origin: MediaOrigin;
let clock: ManualClock;
let opened: OpenedCache;
let control: AbortController;
/** What the stage makes of pages, and the signals that it was given. */
let record: (signal: AbortSignal) => Promise<Recording>;
let media: ItemMedia;
/** Paths whose connection was closed by the player before its answer was whole. */
let calledOff: string[];

beforeEach(async () => {
  origin = await mediaOrigin();
  clock = new ManualClock();
  opened = await openMediaCache(temporaryFolder(), clock);
  control = new AbortController();
  calledOff = [];
  record = async () => ({ kind: "recorded", leadMs: 700 });
  media = new ItemMedia({
    ...{ clock, cache: opened.cache, log: pino({ level: "silent" }), signal: control.signal },
    stage: { record: (_playout, _media, signal) => record(signal) },
  });
});

let made = 0;

/** A playout of an item with media of its own. */
function playout(path: string, changes: Partial<Item> = {}): Playout {
  const ad = anItem("ad", { mimeType: "image/png", form: "image", url: origin.origin + path, ...changes });
  const [first] = playoutsOf(aSpot({ news: null, ad }), [ad], ++made, 0);
  return first as Playout;
}

/** Answers with half of a picture; the rest comes when it is told to. */
function trickle(path: string): { readonly begun: Promise<void>; finish(): void } {
  const { answer, halfSent, goOn } = halting(PNG);
  origin.answers[path] = (request, response) => {
    response.on("close", () => {
      if (!response.writableFinished) calledOff.push(path);
    });
    answer(request, response);
  };
  return { begun: halfSent, finish: goOn };
}

/** An item whose playout is over before its media is there. */
async function late(path: string) {
  const one = playout(path);
  const { begun, finish } = trickle(path);
  const preparation = media.fetch(one);
  await begun;
  media.letGo(one);
  return { preparation, finish };
}

/** How much of what is in the cache may not be evicted. */
function heldBytes(): number {
  opened.cache.evictNow(1e9);
  return opened.cache.size().bytes;
}

describe("an item's media", () => {
  it("is held from when it is on disk until its playout is over", async () => {
    origin.answers["/a"] = send(PNG);
    const one = playout("/a");
    expect(await media.fetch(one)).toEqual(true);
    expect(await media.reread(one)).toMatchObject({ kind: "whole" });
    expect(heldBytes()).toBe(bytesOnDisk(PNG.length));
    media.letGo(one);
    expect(heldBytes()).toBe(0);
  });

  it("is lost where it cannot be had", async () => {
    expect(await media.fetch(playout("/nowhere"))).toBe(false);
  });

  it("is not cued any more once its playout is over", async () => {
    origin.answers["/a"] = send(PNG);
    const one = playout("/a");
    await media.fetch(one);
    const rereading = media.reread(one);
    media.letGo(one);
    expect(await rereading).toEqual({ kind: "over" });
    expect(heldBytes()).toBe(0);
  });

  it("is called off with the player", async () => {
    const one = playout("/a");
    const { begun } = trickle("/a");
    const fetching = media.fetch(one);
    await begun;
    control.abort();
    expect(await fetching).toBe(false);
  });
});

describe("a page", () => {
  const html = { form: "html", mimeType: "text/html" } as const;

  beforeEach(() => {
    origin.answers["/page"] = send("<!doctype html><p>Hello");
  });

  it("is recorded from what is on disk, and says itself how long before its turn it begins (F22)", async () => {
    const one = playout("/page", html);
    await media.fetch(one);
    expect(await media.record(one)).toEqual({ kind: "recorded", leadMs: 700 });
  });

  it("is called off when its playout is over", async () => {
    record = (signal) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => resolve({ kind: "failed", reason: "unfetchable" }));
      });
    const one = playout("/page", html);
    await media.fetch(one);
    const recording = media.record(one);
    media.letGo(one);
    expect(await recording).toEqual({ kind: "failed", reason: "unfetchable" });
    expect(heldBytes()).toBe(0);
  });
});

describe("a download whose playout is over", () => {
  it("goes on in the background, so that the item is there the next time (G3)", async () => {
    const { preparation, finish } = await late("/a");
    finish();
    await preparation;
    expect(await media.fetch(playout("/a"))).toBe(true);
    expect(origin.requests).toEqual(["/a"]);
  });

  it("is called off where as many go on already as may, until one of them is over", async () => {
    const going = [];
    for (let number = 0; number < MOST_LATE_DOWNLOADS; number++) going.push(await late(`/${number}`));
    const one = await late("/more");
    await one.preparation;
    await closed("/more");
    expect(calledOff).toEqual(["/more"]);
    for (const { finish } of going) finish();
    await Promise.all(going.map(({ preparation }) => preparation));
    const { preparation, finish } = await late("/again");
    finish();
    await preparation;
    expect(calledOff).toEqual(["/more"]);
  });

  it("takes one place only where its creative was late more than once", async () => {
    const first = await late("/a");
    const again = playout("/a");
    const second = media.fetch(again);
    media.letGo(again);
    expect(await second).toBe(false);
    const other = await late("/b");
    for (const { preparation, finish } of [first, other]) {
      finish();
      await preparation;
    }
    expect(calledOff).toEqual([]);
  });

  it("is called off when it is not there ten minutes later", async () => {
    const { preparation } = await late("/a");
    await clock.advance(LATE_DOWNLOAD_MS - 1);
    expect(calledOff).toEqual([]);
    await clock.advance(1);
    await preparation;
    await closed("/a");
    expect(calledOff).toEqual(["/a"]);
  });

  it("is not called off any more once a later spot waits for the same media", async () => {
    const first = await late("/a");
    const second = media.fetch(playout("/a"));
    await clock.advance(LATE_DOWNLOAD_MS);
    await first.preparation;
    first.finish();
    expect(await second).toBe(true);
    expect(calledOff).toEqual([]);
  });
});

/** Resolves when the server knows that the connection for a path is closed. */
async function closed(path: string): Promise<void> {
  while (!calledOff.includes(path)) await turn();
}
