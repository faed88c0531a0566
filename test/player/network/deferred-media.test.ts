import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { daySpanIn, LARGE_BYTES } from "../../../src/core/media/data-budget.ts";
import type { IndexFile } from "../../../src/player/media/media-index.ts";
import { DataBook, DataMeter } from "../../../src/player/network/data-meter.ts";
import { DeferredBook, downloadDeferred } from "../../../src/player/network/deferred-media.ts";
import { type MediaLine, meteredLine } from "../../../src/player/network/media-line.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { kept, type MediaOrigin, mediaOrigin, openMediaCache, png, send } from "../../support/player/media-origin.ts";

const noon = new Date(2026, 0, 15, 12, 0).getTime();
const HOUR = 3_600_000;
const never = new AbortController().signal;
const log = pino({ level: "silent" });

/** A cache whose large media come between 22:00 and 06:00, and what brings them. */
async function atNoon(span = "22:00-06:00") {
  const clock = new ManualClock(noon);
  const made: { line: MediaLine; book: DeferredBook }[] = [];
  const lineOn = (index: IndexFile) => {
    const limits = { monthlyBytes: null, largeHours: daySpanIn(span) };
    const meter = new DataMeter({
      book: new DataBook(index),
      limits,
      clocks: () => ({ service: clock.wall(), wall: clock.wall() }),
      log,
    });
    made.push({ line: meteredLine(meter, null), book: new DeferredBook(index) });
    return made[0]?.line as MediaLine;
  };
  const onDeferred = (wanted: Parameters<DeferredBook["note"]>[0]) => made[0]?.book.note(wanted, clock.wall());
  const { cache } = await openMediaCache(temporaryFolder(), clock, {}, lineOn, onDeferred);
  const [parts] = made;
  if (parts === undefined) throw new Error("no line");
  const control = new AbortController();
  onTestFinished(() => control.abort());
  downloadDeferred({ ...parts, cache, clock, log, signal: control.signal });
  /** Lets an hour pass, and what it set going come to its end. */
  const hours = async (count: number) => {
    for (let quarter = 0; quarter < 4 * count; quarter++) {
      await clock.advance(HOUR / 4);
      await cache.quiet();
      await clock.settle();
    }
  };
  return { clock, cache, hours, waiting: () => parts.book.list(0).map(({ url }) => new URL(url).pathname) };
}

function offering(origin: MediaOrigin, ...paths: readonly string[]) {
  for (const path of paths) origin.answers[path] = send(png(LARGE_BYTES + 1), { "content-type": "video/mp4" });
}

describe("large media that were wanted by day", () => {
  it("come once their hours have begun, the last wanted first, and are there from then on", async () => {
    const origin = await mediaOrigin();
    offering(origin, "/a", "/b");
    const { cache, clock, hours, waiting } = await atNoon();
    const sized = (path: string) => origin.wanted(path, { sizeBytes: LARGE_BYTES + 1 });
    for (const path of ["/a", "/b"]) {
      expect((await cache.obtain(sized(path), never)).kind).toBe("failed");
      await clock.advance(1_000);
    }
    expect(waiting()).toEqual(["/b", "/a"]);
    await hours(9);
    expect(origin.requests).toEqual([]);
    await hours(2);
    expect(origin.requests).toEqual(["/b", "/a"]);
    expect(waiting()).toEqual([]);
    expect(kept(await cache.obtain(sized("/a"), never)).found).toBe(true);
  });

  it("come in hours that are only minutes, too", async () => {
    const origin = await mediaOrigin();
    offering(origin, "/a");
    const { cache, clock, waiting } = await atNoon("12:05-12:10");
    await cache.obtain(origin.wanted("/a", { sizeBytes: LARGE_BYTES + 1 }), never);
    for (let minute = 0; minute < 10; minute++) {
      await clock.advance(HOUR / 60);
      await cache.quiet();
      await clock.settle();
    }
    expect(origin.requests).toEqual(["/a"]);
    expect(waiting()).toEqual([]);
  });

  it("are asked for again a quarter of an hour later where their server does not answer", async () => {
    const origin = await mediaOrigin();
    origin.answers["/silent"] = (_, response) => void response.destroy();
    const { cache, clock } = await atNoon("12:05-18:00");
    await cache.obtain(origin.wanted("/silent", { sizeBytes: LARGE_BYTES + 1 }), never);
    for (let minute = 0; minute < 40; minute++) {
      await clock.advance(HOUR / 60);
      await cache.quiet();
      await clock.settle();
    }
    const [tries, rounds] = [3, 3];
    expect(origin.requests).toHaveLength(tries * rounds);
  });

  it("are given up where their server has them no more, and left for later where it does not answer", async () => {
    const origin = await mediaOrigin();
    origin.answers["/gone"] = (_, response) => void response.writeHead(404).end();
    origin.answers["/silent"] = (_, response) => void response.destroy();
    const { cache, hours, waiting } = await atNoon();
    for (const path of ["/gone", "/silent"]) {
      await cache.obtain(origin.wanted(path, { sizeBytes: LARGE_BYTES + 1 }), never);
    }
    await hours(11);
    expect(waiting()).toEqual(["/silent"]);
  });

  it("are not asked for any more when nobody has wanted them for two days", async () => {
    const origin = await mediaOrigin();
    offering(origin, "/old");
    const { cache, clock, hours } = await atNoon();
    await cache.obtain(origin.wanted("/old", { sizeBytes: LARGE_BYTES + 1 }), never);
    clock.jumpWall(48 * HOUR);
    await hours(12);
    expect(origin.requests).toEqual([]);
  });

  it("are left to the page that asked for them in its own way, since nobody else can", async () => {
    const origin = await mediaOrigin();
    const { cache, waiting } = await atNoon();
    const asked = { usual: {}, own: { "x-key": "1" }, query: null };
    const outcome = await cache.obtain(origin.wanted("/film", { sizeBytes: LARGE_BYTES + 1, asked }), never);
    expect(outcome).toMatchObject({ kind: "failed", deferred: true });
    expect(waiting()).toEqual([]);
  });
});
