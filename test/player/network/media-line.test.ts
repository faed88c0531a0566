import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { daySpanIn, LARGE_BYTES } from "../../../src/core/media/data-budget.ts";
import { AbsenceBook } from "../../../src/player/media/page-books.ts";
import { PageCache } from "../../../src/player/media/page-cache.ts";
import { DataBook, DataMeter } from "../../../src/player/network/data-meter.ts";
import { type MediaLine, meteredLine, Throttle } from "../../../src/player/network/media-line.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { ANYWHERE, kept, mediaOrigin, openMediaCache, png, send } from "../../support/player/media-origin.ts";

const never = new AbortController().signal;
const noon = new Date(2026, 0, 15, 12, 0).getTime();
const HOUR = 3_600_000;

/** A cache on a line with these limits, and the line's meter. */
async function openOn(
  limits: { readonly monthlyBytes?: number; readonly hours?: string },
  cacheLimits: Parameters<typeof openMediaCache>[2] = {},
) {
  const clock = new ManualClock(noon);
  const meters: DataMeter[] = [];
  const opened = await openMediaCache(temporaryFolder(), clock, cacheLimits, (index): MediaLine => {
    const { monthlyBytes = null, hours } = limits;
    const meter = new DataMeter({
      book: new DataBook(index),
      limits: { monthlyBytes, largeHours: hours === undefined ? null : daySpanIn(hours) },
      clocks: () => ({ service: clock.wall(), wall: clock.wall() }),
      log: pino({ level: "silent" }),
    });
    meters.push(meter);
    return meteredLine(meter, null);
  });
  const [meter] = meters;
  if (meter === undefined) throw new Error("no meter");
  return { ...opened, meter };
}

const inVain = { kind: "failed", transient: true, status: null, deferred: true };

describe("media on a line with a monthly limit", () => {
  it("are counted as they come, and not downloaded once it is used up; what is cached is there all the same", async () => {
    const { answers, wanted, requests } = await mediaOrigin();
    for (const path of ["/a", "/b", "/c"]) answers[path] = send(png(1_000));
    const { cache, meter } = await openOn({ monthlyBytes: 2_000 });
    kept(await cache.obtain(wanted("/a"), never));
    kept(await cache.obtain(wanted("/b"), never));
    expect(meter.month()).toMatchObject({ usedBytes: 2_000, refused: 0 });
    expect(await cache.obtain(wanted("/c"), never)).toEqual({
      ...inVain,
      reason: "the month's data do not suffice: 2000 of 2000 bytes are used",
    });
    expect(kept(await cache.obtain(wanted("/a"), never)).found).toBe(true);
    expect(requests).toEqual(["/a", "/b"]);
    expect(meter.month().refused).toBe(1);
  });

  it("are given up at their head where they are announced to be too much, and smaller ones come", async () => {
    const { answers, wanted, requests } = await mediaOrigin();
    answers["/large"] = send(png(1_000_000));
    answers["/small"] = send(png(1_000));
    const { cache, meter } = await openOn({ monthlyBytes: 500_000 });
    expect(await cache.obtain(wanted("/large"), never)).toMatchObject(inVain);
    expect(requests).toEqual(["/large"]);
    const { usedBytes } = meter.month();
    expect(usedBytes).toBeLessThan(400_000);
    kept(await cache.obtain(wanted("/small"), never));
    expect(meter.month().usedBytes).toBe(usedBytes + 1_000);
  });

  it("are counted, too, as far as they came with the head that told that they are too much", async () => {
    const { answers, wanted } = await mediaOrigin();
    answers["/clip"] = send(png(30_000));
    const { cache, meter } = await openOn({ monthlyBytes: 20_000 });
    expect(await cache.obtain(wanted("/clip"), never)).toMatchObject(inVain);
    expect(meter.month().usedBytes).toBe(30_000);
  });

  it("are counted, too, where they are more than a file may be", async () => {
    const { answers, wanted } = await mediaOrigin();
    answers["/announced"] = send(png(30_000));
    answers["/unannounced"] = (_, response) => void response.end(png(30_000));
    for (const path of ["/announced", "/unannounced"]) {
      const { cache, meter } = await openOn({}, { maxItemBytes: 20_000 });
      expect(await cache.obtain(wanted(path), never)).toMatchObject({
        kind: "failed",
        reason: "more than 20000 bytes",
      });
      expect(meter.month().usedBytes).toBe(30_000);
    }
  });

  it("are asked for once to learn that they are too much, and again in another month", async () => {
    const { answers, wanted, requests } = await mediaOrigin();
    answers["/a"] = send(png(250_000));
    answers["/b"] = send(png(250_000));
    const { cache, meter, clock } = await openOn({ monthlyBytes: 400_000 });
    kept(await cache.obtain(wanted("/a"), never));
    for (let spot = 0; spot < 3; spot++) expect(await cache.obtain(wanted("/b"), never)).toMatchObject(inVain);
    expect(requests).toEqual(["/a", "/b"]);
    expect(meter.month().refused).toBe(3);
    clock.jumpWall(31 * 24 * HOUR);
    kept(await cache.obtain(wanted("/b"), never));
  });

  it("stay as they are where a newer version is too much, which is asked for once", async () => {
    const { answers, wanted, requests } = await mediaOrigin();
    answers["/a"] = send(png(1_000), { etag: '"v1"' });
    const { cache, clock } = await openOn({ monthlyBytes: 300_000 });
    cache.release(kept(await cache.obtain(wanted("/a"), never)).media.digest);
    answers["/a"] = send(png(400_000), { etag: '"v2"' });
    for (let hour = 0; hour < 3; hour++) {
      clock.jumpWall(HOUR);
      await cache.revalidate(wanted("/a"), never);
    }
    expect(requests).toEqual(["/a", "/a"]);
    expect(kept(await cache.obtain(wanted("/a"), never)).media.sizeBytes).toBe(1_000);
  });

  it("are broken off where the limit comes in between, and gone on with where they ended in another month", async () => {
    const { answers, wanted } = await mediaOrigin();
    const body = png(1_000_000);
    const ranges: (string | undefined)[] = [];
    answers["/clip"] = (request, response) => {
      ranges.push(request.headers.range);
      const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? "")?.[1] ?? 0);
      const range = { "content-range": `bytes ${from}-${body.length - 1}/${body.length}` };
      response.writeHead(from > 0 ? 206 : 200, { etag: '"one"', ...(from > 0 ? range : {}) });
      response.end(body.subarray(from));
    };
    const { cache, meter, clock } = await openOn({ monthlyBytes: 300_000 });
    expect(await cache.obtain(wanted("/clip"), never)).toMatchObject(inVain);
    const { usedBytes } = meter.month();
    expect(usedBytes).toBeGreaterThanOrEqual(300_000);
    expect(usedBytes).toBeLessThan(500_000);
    clock.jumpWall(31 * 24 * HOUR);
    expect(await cache.obtain(wanted("/clip"), never)).toMatchObject(inVain);
    const [first, second] = ranges;
    expect(first).toBeUndefined();
    // What had come and was not read any more is counted, too.
    const goneOnAt = Number(/^bytes=(\d+)-$/.exec(second ?? "")?.[1]);
    expect(goneOnAt).toBeGreaterThanOrEqual(300_000);
    expect(goneOnAt).toBeLessThanOrEqual(usedBytes);
  });

  it("make nothing else go for what does not come", async () => {
    const { answers, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const { cache } = await openOn({ monthlyBytes: 1_500 }, { maxBytes: 6_000 });
    cache.release(kept(await cache.obtain(wanted("/a"), never)).media.digest);
    expect(await cache.obtain(wanted("/b", { sizeBytes: 1_800 }), never)).toMatchObject(inVain);
    expect(cache.size()).toEqual({ files: 1, bytes: 4_096 });
  });
});

describe("large media on a line with hours for them", () => {
  const reason = "more than 10485760 bytes, outside network.largeDownloadHours";

  it("are asked for outside them once, to learn their size, and come in them", async () => {
    const { answers, wanted, requests } = await mediaOrigin();
    answers["/clip"] = send(png(LARGE_BYTES + 1));
    const { cache, meter, clock } = await openOn({ hours: "22:00-06:00" });
    const sized = wanted("/clip", { sizeBytes: LARGE_BYTES + 1 });
    for (const clip of [wanted("/clip"), wanted("/clip"), sized]) {
      expect(await cache.obtain(clip, never)).toEqual({ ...inVain, reason });
    }
    expect(requests).toEqual(["/clip"]);
    expect(meter.month()).toMatchObject({ usedBytes: expect.any(Number), refused: 0 });
    clock.jumpWall(10 * HOUR);
    kept(await cache.obtain(wanted("/clip"), never));
  });

  it("are not begun again where only what came of them told how large they are", async () => {
    const { answers, wanted, requests } = await mediaOrigin();
    answers["/clip"] = (_, response) => void response.end(png(LARGE_BYTES + 1_000_000));
    const { cache, clock } = await openOn({ hours: "22:00-06:00" });
    for (let spot = 0; spot < 3; spot++) {
      expect(await cache.obtain(wanted("/clip"), never)).toEqual({ ...inVain, reason });
    }
    expect(requests).toEqual(["/clip"]);
    clock.jumpWall(10 * HOUR);
    kept(await cache.obtain(wanted("/clip"), never));
  });

  it("are not asked for where their hours ended while they came", async () => {
    const { answers, wanted, requests } = await mediaOrigin();
    const body = png(LARGE_BYTES + 1);
    answers["/clip"] = (_, response) => {
      response.writeHead(200, { "content-length": body.length, etag: '"v1"' });
      response.write(body.subarray(0, 1_000_000), () => response.destroy());
    };
    const { cache, clock } = await openOn({ hours: "11:00-13:00" });
    expect(await cache.obtain(wanted("/clip"), never)).toMatchObject({ kind: "failed", transient: true });
    clock.jumpWall(2 * HOUR);
    requests.length = 0;
    expect(await cache.obtain(wanted("/clip"), never)).toEqual({ ...inVain, reason });
    expect(requests).toEqual([]);
  });
});

describe("a page on a line that is used up", () => {
  it("is not shown without what it lacks, and blames no host for it", async () => {
    const own = await mediaOrigin();
    const other = await mediaOrigin("127.0.0.2");
    own.answers["/ad.html"] = send("<!doctype html>", { "content-type": "text/html" });
    const { cache, index, clock } = await openOn({ monthlyBytes: 15 });
    const absences = new AbsenceBook(index);
    const open = () =>
      new PageCache({
        ...{ document: own.wanted("/ad.html", { mimeType: "text/html" }), cache, absences, clock },
        policy: ANYWHERE,
        limits: { maxRequests: 300, maxBytes: 1_000_000 },
        signal: never,
      });
    for (let load = 0; load < 3; load++) {
      const page = open();
      expect((await page.answer("GET", `${own.origin}/ad.html`, "document")).kind).toBe("media");
      expect((await page.answer("GET", `${other.origin}/logo.png`)).kind).toBe("missing");
      expect(page.lacking()).toContain("the month's data do not suffice");
      page.close();
      await clock.advance(HOUR);
    }
    expect(absences.absence(`${own.origin}/ad.html`, "127.0.0.2")).toBeNull();
    expect(other.requests).toEqual([]);
  });
});

const RATE = 800_000;
const SECOND_BYTES = RATE / 8;

/** A lane that takes these amounts one after the other; when each was through, in milliseconds. */
async function takeAll(clock: ManualClock, lane: ReturnType<Throttle["enter"]>, amounts: readonly number[]) {
  const times: number[] = [];
  for (const bytes of amounts) {
    await lane.take(bytes, never);
    times.push(clock.now());
  }
  lane.leave();
  return times;
}

describe("a throttle", () => {
  it("holds all downloads together to one rate", async () => {
    const clock = new ManualClock();
    const throttle = new Throttle(RATE, clock);
    const amounts = Array.from({ length: 10 }, () => SECOND_BYTES / 2);
    const done = Promise.all([1, 2].map(() => takeAll(clock, throttle.enter(false), amounts)));
    for (let step = 0; step < 100; step++) await clock.advance(250);
    const times = (await done).flat();
    // Ten seconds' worth, of which the first is there at once.
    expect(Math.max(...times)).toBe(9_000);
  });

  it("lets small downloads go before a large one, and that go on when they have ended", async () => {
    const clock = new ManualClock();
    const throttle = new Throttle(RATE, clock);
    const small = throttle.enter(false);
    const large = takeAll(clock, throttle.enter(true), [1_000]);
    await clock.advance(20_000);
    small.leave();
    await clock.advance(1_000);
    expect(await large).toEqual([20_250]);
  });

  it("lets no small download that hangs hold up a large one for ever", async () => {
    const clock = new ManualClock();
    const throttle = new Throttle(RATE, clock);
    throttle.enter(false);
    const large = takeAll(clock, throttle.enter(true), [1_000]);
    await clock.advance(60_000);
    expect(await large).toEqual([30_000]);
  });

  it("keeps nobody waiting who was called off", async () => {
    const clock = new ManualClock();
    const control = new AbortController();
    const taking = new Throttle(RATE, clock).enter(false).take(100 * SECOND_BYTES, control.signal);
    control.abort();
    await taking;
    expect(clock.now()).toBe(0);
  });
});
