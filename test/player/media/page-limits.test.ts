import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { AbsenceBook } from "../../../src/player/media/page-books.ts";
import { PageCache } from "../../../src/player/media/page-cache.ts";
import {
  ANYWHERE,
  type Answer,
  halting,
  kept,
  type MediaOrigin,
  mediaOrigin,
  type OpenedCache,
  openMediaCache,
  send,
} from "../../support/player/media-origin.ts";

const MAX_BYTES = 1_000_000;
const never = new AbortController().signal;

function openPage(
  { cache, index, clock }: OpenedCache,
  { wanted }: MediaOrigin,
  onLimit = (_limit: string) => {},
): PageCache {
  return new PageCache({
    document: wanted("/ad.html", { mimeType: "text/html" }),
    cache,
    absences: new AbsenceBook(index),
    clock,
    policy: ANYWHERE,
    limits: { maxRequests: 300, maxBytes: MAX_BYTES },
    signal: never,
    onLimit,
  });
}

/** An answer without a length that never ends, and how much of it was sent. */
function endless(): { answer: Answer; closed: Promise<void> } {
  let tell = () => {};
  const closed = new Promise<void>((resolve) => {
    tell = resolve;
  });
  const answer: Answer = (_, response) => {
    response.writeHead(200);
    response.once("close", tell);
    const pour = () => response.destroyed || response.write(Buffer.alloc(16_384), pour);
    pour();
  };
  return { answer, closed };
}

const refused = { kind: "refused", reason: `more than ${MAX_BYTES} bytes` };

describe("the bytes of a page", () => {
  it("are counted while they come: what never ends is called off, and nothing of it is kept", async () => {
    const server = await mediaOrigin();
    const { answer, closed } = endless();
    server.answers["/endless"] = answer;
    const opened = await openMediaCache();
    const page = openPage(opened, server);
    expect(await page.answer("GET", `${server.origin}/endless`)).toEqual(refused);
    await closed;
    expect(opened.cache.size().files).toBe(0);
  });

  it("are too few for a document, without which there is no page, and for a part, without which there is", async () => {
    const server = await mediaOrigin();
    const whole = await openMediaCache();
    for (const [name, destination, lacking] of [
      ["ad.html", "document", "more than"],
      ["next.html", "document", "more than"],
      ["frame.html", "iframe", null],
      ["large.js", "script", null],
    ] as const) {
      server.answers[`/${name}`] = send(Buffer.alloc(MAX_BYTES + 1));
      const page = openPage(whole, server);
      expect(await page.answer("GET", `${server.origin}/${name}`, destination)).toEqual(refused);
      if (lacking === null) expect(page.lacking()).toBeNull();
      else expect(page.lacking()).toContain(lacking);
    }
  });

  it("are counted once of a file behind a redirection, which is asked for again where that leads", async () => {
    const server = await mediaOrigin();
    server.answers["/to"] = (_, response) => response.writeHead(302, { location: "/large" }).end();
    server.answers["/large"] = send(Buffer.alloc(MAX_BYTES - 100_000));
    server.answers["/rest"] = send(Buffer.alloc(100_001));
    const page = openPage(await openMediaCache(), server);
    const kinds = [];
    for (const name of ["to", "large", "rest"]) kinds.push((await page.answer("GET", `${server.origin}/${name}`)).kind);
    expect(kinds).toEqual(["media", "media", "refused"]);
  });

  it("are counted over all that comes at the same time", async () => {
    const server = await mediaOrigin();
    const { answer, halfSent, goOn } = halting(Buffer.alloc(600_000));
    server.answers["/a"] = answer;
    server.answers["/b"] = send(Buffer.alloc(600_000));
    const page = openPage(await openMediaCache(), server);
    const coming = page.answer("GET", `${server.origin}/a`);
    await halfSent;
    expect(await page.answer("GET", `${server.origin}/b`)).toEqual(refused);
    goOn();
    expect((await coming).kind).toBe("media");
  });

  it("that are announced and do not fit beside the others are not begun, and leave the rest to others", async () => {
    const server = await mediaOrigin();
    server.answers["/small"] = send(Buffer.alloc(400_000));
    server.answers["/large"] = send(Buffer.alloc(700_000));
    server.answers["/other"] = send(Buffer.alloc(600_000));
    const page = openPage(await openMediaCache(), server);
    const kinds = [];
    for (const name of ["small", "large", "other"]) {
      kinds.push((await page.answer("GET", `${server.origin}/${name}`)).kind);
    }
    expect(kinds).toEqual(["media", "refused", "media"]);
  });

  it("count once however often the page asks for them, and so does what it holds", async () => {
    const server = await mediaOrigin();
    server.answers["/clip"] = send(Buffer.alloc(600_000));
    const opened = await openMediaCache();
    const page = openPage(opened, server);
    for (let range = 0; range < 5; range++) {
      expect((await page.answer("GET", `${server.origin}/clip#${range}`)).kind).toBe("media");
    }
    page.close();
    await opened.cache.quiet();
    expect(opened.cache.evictNow(1)).toBe(true);
  });

  it("that were in the cache and do not fit are not held", async () => {
    const server = await mediaOrigin();
    server.answers["/large"] = send(Buffer.alloc(MAX_BYTES + 1));
    const opened = await openMediaCache();
    const { digest } = kept(await opened.cache.obtain(server.wanted("/large"), never)).media;
    opened.cache.release(digest);
    const page = openPage(opened, server);
    expect(await page.answer("GET", `${server.origin}/large`)).toEqual(refused);
    expect(opened.cache.evictNow(1)).toBe(true);
  });

  it("do not end the download for somebody else who waits for the same", async () => {
    const server = await mediaOrigin();
    const { answer, halfSent, goOn } = halting(Buffer.alloc(MAX_BYTES * 2));
    server.answers["/large"] = answer;
    const opened = await openMediaCache();
    const cue = opened.cache.obtain(server.wanted("/large"), never);
    await halfSent;
    expect(await openPage(opened, server).answer("GET", `${server.origin}/large`)).toEqual(refused);
    goOn();
    expect(kept(await cue).media.sizeBytes).toBe(MAX_BYTES * 2);
  });
});

describe("a page that is over", () => {
  it("leaves the bytes to another page that waits for them, and holds nothing itself", async () => {
    const server = await mediaOrigin();
    const { answer, halfSent, goOn } = halting(Buffer.alloc(100_000));
    server.answers["/a"] = answer;
    const opened = await openMediaCache();
    const [first, second] = [openPage(opened, server), openPage(opened, server)];
    const leaving = first.answer("GET", `${server.origin}/a`);
    const staying = second.answer("GET", `${server.origin}/a`);
    await halfSent;
    first.close();
    expect((await leaving).kind).toBe("missing");
    goOn();
    const had = await staying;
    if (had.kind !== "media") throw new Error(had.kind);
    expect(opened.cache.evictNow(1)).toBe(false);
    second.close();
    await opened.cache.quiet();
    expect(opened.cache.evictNow(1)).toBe(true);
    expect(existsSync(had.media.path)).toBe(false);
  });

  it("holds nothing that came in the instant in which it was closed", async () => {
    const server = await mediaOrigin();
    server.answers["/a"] = send(Buffer.alloc(1_000));
    const opened = await openMediaCache();
    let page: PageCache | null = null;
    const { cache } = opened;
    const closing = {
      knows: cache.knows.bind(cache),
      release: cache.release.bind(cache),
      revalidate: cache.revalidate.bind(cache),
      obtain: async (...asked: Parameters<typeof cache.obtain>) => {
        const outcome = await cache.obtain(...asked);
        page?.close();
        return outcome;
      },
    };
    page = openPage({ ...opened, cache: closing as typeof cache }, server);
    expect((await page.answer("GET", `${server.origin}/a`)).kind).toBe("missing");
    expect(cache.evictNow(1)).toBe(true);
  });
});

describe("what a page is told of an answer", () => {
  const POLICY = "default-src 'self'; img-src *";
  const headers = {
    "content-type": "text/html; charset=windows-1252",
    "content-language": "de",
    "content-security-policy": POLICY,
    "content-security-policy-report-only": "default-src 'none'",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "cross-origin",
    "access-control-allow-origin": "*",
    "set-cookie": "a=b",
    server: "x",
  };

  it("is what its maker said of how it is shown, from the cache after a restart too", async () => {
    const server = await mediaOrigin();
    server.answers["/ad.html"] = send("<!doctype html>", headers);
    const opened = await openMediaCache();
    const { "content-security-policy-report-only": _, "set-cookie": __, server: ___, ...told } = headers;
    for (const cache of [opened, await openMediaCache(opened.folder, opened.clock)]) {
      const page = openPage(cache, server);
      expect(await page.answer("GET", `${server.origin}/ad.html`)).toMatchObject({ headers: told, finalUrl: null });
      page.close();
    }
    expect(server.requests).toEqual(["/ad.html"]);
  });

  it("is where redirects led, and that URL is answered without the network", async () => {
    const server = await mediaOrigin();
    server.answers["/style.css"] = (_, response) => void response.writeHead(301, { location: "/v2/style.css" }).end();
    server.answers["/v2/style.css"] = send("*{}", { "content-type": "text/css" });
    const page = openPage(await openMediaCache(), server);
    const finalUrl = `${server.origin}/v2/style.css`;
    expect(await page.answer("GET", `${server.origin}/style.css`)).toMatchObject({ kind: "media", finalUrl });
    expect(await page.answer("GET", finalUrl)).toMatchObject({
      ...{ kind: "media", finalUrl: null, headers: { "content-type": "text/css" } },
    });
    expect(server.requests).toEqual(["/style.css", "/v2/style.css"]);
  });

  it("is whether the network was needed for it", async () => {
    const server = await mediaOrigin();
    server.answers["/ad.html"] = send("<!doctype html>");
    const opened = await openMediaCache();
    const needed = [];
    for (let load = 0; load < 2; load++) {
      const page = openPage(opened, server);
      await page.answer("GET", `${server.origin}/ad.html`);
      needed.push(page.neededNetwork());
    }
    expect(needed).toEqual([true, false]);
  });
});

it("a limit that a page comes to is told once", async () => {
  const server = await mediaOrigin();
  for (const path of ["/large", "/larger"]) server.answers[path] = send(Buffer.alloc(MAX_BYTES + 1));
  const told: string[] = [];
  const page = openPage(await openMediaCache(), server, (limit) => told.push(limit));
  for (const path of ["/large", "/larger"]) await page.answer("GET", server.origin + path);
  expect(told).toEqual([refused.reason]);
  for (let requests = 0; requests < 300; requests++) await page.answer("GET", `${server.origin}/${requests}.png`);
  expect(told).toEqual([refused.reason, "more than 300 requests"]);
});
