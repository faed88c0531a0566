import { createHash } from "node:crypto";
import { once } from "node:events";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mediaFiles } from "../../../src/emulator/media/files.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ask, call, json, nextSpot, running } from "../running.ts";

const PATH = "/creatives/ad-bakery.png";
const bytes = readFileSync(new URL("../../../assets/creatives/ad-bakery.png", import.meta.url));
const size = bytes.length;

describe("the media listener", () => {
  it("serves a file whole, with its length, type, a strong ETag and a time to live of an hour", async () => {
    const { mediaUrl } = await running();

    const { status, headers, body } = await ask(mediaUrl, PATH);

    expect(status).toBe(200);
    expect(body.equals(bytes)).toBe(true);
    expect(headers).toMatchObject({
      "content-type": "image/png",
      "content-length": String(size),
      "accept-ranges": "bytes",
      "cache-control": "public, max-age=3600",
      date: "Mon, 02 Mar 2026 08:00:00 GMT",
    });
    expect(headers.etag).toBe(`"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`);
  });

  it("answers HEAD with the same headers and no body", async () => {
    const { mediaUrl } = await running();

    const { status, headers, body } = await ask(mediaUrl, PATH, { method: "HEAD", headers: { range: "bytes=0-9" } });

    expect([status, headers["content-length"], headers["content-type"], body.length]).toEqual([
      200,
      String(size),
      "image/png",
      0,
    ]);
  });

  it.each([
    ["bytes=0-9", 0, 9],
    ["bytes=100-", 100, size - 1],
    ["bytes=-5", size - 5, size - 1],
    [`bytes=0-${size + 100}`, 0, size - 1],
    [`bytes=-${size + 100}`, 0, size - 1],
  ])("answers Range: %s with 206 and just those bytes", async (range, first, last) => {
    const { mediaUrl } = await running();

    const { status, headers, body } = await ask(mediaUrl, PATH, { headers: { range } });

    expect(status).toBe(206);
    expect(headers["content-range"]).toBe(`bytes ${first}-${last}/${size}`);
    expect(headers["content-length"]).toBe(String(last - first + 1));
    expect(body.equals(bytes.subarray(first, last + 1))).toBe(true);
  });

  it.each([`bytes=${size}-`, "bytes=-0"])("answers Range: %s, which no byte is in, with 416", async (range) => {
    const { mediaUrl } = await running();

    const reply = await ask(mediaUrl, PATH, { headers: { range } });

    expect([reply.status, reply.headers["content-range"]]).toEqual([416, `bytes */${size}`]);
    expect(json(reply)).toMatchObject({ code: "range_not_satisfiable", status: 416 });
  });

  it.each(["bytes=9-0", "bytes=0-1,5-6", "items=0-9", "bytes=-", "nonsense"])(
    "ignores Range: %s and sends the whole",
    async (range) => {
      const { mediaUrl } = await running();

      const reply = await ask(mediaUrl, PATH, { headers: { range } });

      expect([reply.status, reply.body.length]).toEqual([200, size]);
    },
  );

  it("goes on with a download only while it is the same file (If-Range)", async () => {
    const { mediaUrl } = await running();
    const etag = (await ask(mediaUrl, PATH)).headers.etag ?? "";

    const same = await ask(mediaUrl, PATH, { headers: { range: "bytes=9-", "if-range": etag } });
    const weak = await ask(mediaUrl, PATH, { headers: { range: "bytes=9-", "if-range": `W/${etag}` } });
    const other = await ask(mediaUrl, PATH, { headers: { range: "bytes=9-", "if-range": '"another"' } });

    expect([same.status, weak.status, other.status]).toEqual([206, 200, 200]);
  });

  it("answers 304 to who has this version already", async () => {
    const { mediaUrl } = await running();
    const etag = (await ask(mediaUrl, PATH)).headers.etag ?? "";

    const known = await ask(mediaUrl, PATH, { headers: { "if-none-match": `"x", ${etag}` } });
    const unknown = await ask(mediaUrl, PATH, { headers: { "if-none-match": '"x"' } });

    expect([known.status, known.body.length, known.headers.etag]).toEqual([304, 0, etag]);
    expect(unknown.status).toBe(200);
  });

  it.each([
    ["/creatives/news-transit.mp4", "video/mp4"],
    ["/creatives/news-sport.webm", "video/webm"],
    ["/creatives/news-headlines.jpg", "image/jpeg"],
    ["/creatives/news-culture.webp", "image/webp"],
    ["/creatives/ad-cycling.html", "text/html; charset=utf-8"],
    ["/creatives/news-weather/weather.css", "text/css; charset=utf-8"],
    ["/creatives/news-weather/weather.js", "text/javascript; charset=utf-8"],
    ["/creatives/news-weather/forecast.json", "application/json"],
    ["/creatives/news-weather/icons/sun.svg", "image/svg+xml"],
  ])("serves %s as %s", async (path, type) => {
    const { mediaUrl } = await running();

    const { status, headers } = await ask(mediaUrl, path, { method: "HEAD" });

    expect([status, headers["content-type"]]).toEqual([200, type]);
  });

  it("F15 serves the same file whatever query its URL carries", async () => {
    const { mediaUrl } = await running();

    expect((await ask(mediaUrl, `${PATH}?signature=a%2Fb`)).status).toBe(200);
  });

  it.each([
    "/creatives/../../package.json",
    "/creatives/%2e%2e/%2e%2e/package.json",
    "/creatives/..%2f..%2fpackage.json",
    "/creatives/..%5c..%5cpackage.json",
    "/creatives//etc/passwd",
    "/creatives/%00",
    "/creatives/%zz",
    "/creatives/",
    "/creatives/news-weather",
    "/creatives/nothing.mp4",
    "/package.json",
    "/",
  ])("finds nothing at %s", async (path) => {
    const { mediaUrl } = await running();

    expect((await ask(mediaUrl, path)).status).toBe(404);
  });

  it("refuses what would change a file with 405 and Allow", async () => {
    const { mediaUrl } = await running();

    const reply = await ask(mediaUrl, PATH, { method: "PUT", body: "x" });

    expect([reply.status, reply.headers.allow]).toEqual([405, "GET, HEAD"]);
  });

  it("answers a path that is no path with 400", async () => {
    const { mediaUrl } = await running();

    const reply = await ask(mediaUrl, "/creatives\\x");

    expect(reply.status).toBe(400);
    expect(json(reply)).toMatchObject({ code: "bad_request", status: 400 });
  });

  it("enters each request for an item's media in the ledger, under the spot that had the URL last", async () => {
    const emulator = await running();
    const bakery = "/creatives/ad-bakery.png";
    emulator.next("screen_demo", [
      { news: null, ad: "ad-bakery" },
      { news: null, ad: "ad-bakery" },
    ]);
    await nextSpot(emulator);
    await nextSpot(emulator);
    await ask(emulator.mediaUrl, bakery, { method: "HEAD" });
    await ask(emulator.mediaUrl, bakery, { headers: { range: "bytes=0-99" } });
    emulator.clock.advance(1000);
    await ask(emulator.mediaUrl, bakery, { headers: { range: "bytes=100-" } });

    expect(emulator.spots()[1]?.ad?.media).toEqual([
      { at: "2026-03-02T08:00:00.000Z", bytes: 100, complete: false },
      { at: "2026-03-02T08:00:01.000Z", bytes: size - 100, complete: true },
    ]);
    expect(emulator.spots()[0]?.ad?.media).toEqual([]);
  });

  it("calls a download complete as soon as its client has it", async () => {
    const emulator = await running();
    const ads = Array.from({ length: 40 }, (_, turn) => (turn % 2 === 0 ? "ad-bakery" : "ad-cinema"));
    emulator.next(
      "screen_demo",
      ads.map((ad) => ({ news: null, ad })),
    );

    const isComplete: unknown[] = [];
    for (const _ of ads) {
      await call(emulator, (await nextSpot(emulator)).ad.url);
      isComplete.push(emulator.spots().at(-1)?.ad?.media[0]?.complete);
    }

    expect(isComplete).toEqual(ads.map(() => true));
  });

  it("does not call a download complete that its client broke off", async () => {
    const emulator = await running();
    emulator.next("screen_demo", [{ news: null, ad: "ad-sneakers" }]);
    const { ad } = await nextSpot(emulator);
    const asked = request(ad.url).end();
    const [response] = await once(asked, "response");
    response.destroy();
    await once(asked, "close");

    await expect.poll(() => emulator.spots()[0]?.ad?.media.length).toBe(1);
    expect(emulator.spots()[0]?.ad?.media[0]?.complete).toBe(false);
  });
});

describe("a creative that cannot be read", () => {
  it("is read again when it is asked for again", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "late.txt");
    writeFileSync(path, "here");
    const file = mediaFiles(folder).get("/creatives/late.txt");
    renameSync(path, `${path}.away`);
    await expect(file?.facts()).rejects.toThrow("ENOENT");

    renameSync(`${path}.away`, path);

    expect(await file?.facts()).toMatchObject({ sizeBytes: 4 });
  });
});
