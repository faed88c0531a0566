import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CreativeBlocklist } from "../../../src/player/media/creative-blocklist.ts";
import type { MediaOutcome } from "../../../src/player/media/media.ts";
import { MediaCache } from "../../../src/player/media/media-cache.ts";
import { IndexFile, MediaIndex } from "../../../src/player/media/media-index.ts";
import { mediaIndexMigrations } from "../../../src/player/media/media-schema.ts";
import { remedyFor, StoreUnusable } from "../../../src/player/stores/database.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../../support/machine/small-disk.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { halting, mediaOrigin } from "../../support/player/media-origin.ts";

/** A power cut tears what is written at the boundary of a page. */
const TORN_BYTES = 4_096;

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const png = (sizeBytes: number) =>
  Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), randomBytes(sizeBytes - 8)]);
const send = (body: Buffer, type = "image/png"): Answer => {
  return (_, response) => response.writeHead(200, { "content-type": type, "content-length": body.length }).end(body);
};
const sha256 = (body: Buffer) => createHash("sha256").update(body).digest("hex");
const md5 = (body: Buffer) => createHash("md5").update(body).digest("hex");
const never = new AbortController().signal;

let home: string;
let server: Server;
let origin: string;
let answers: Record<string, Answer>;
let requests: string[];
let opened: IndexFile[];
let clock: ManualClock;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "spotloop-cache-"));
  answers = {};
  requests = [];
  opened = [];
  clock = new ManualClock();
  server = createServer((request, response) => {
    requests.push(request.url ?? "");
    const answer = answers[request.url ?? ""] ?? ((_, missing) => missing.writeHead(404).end());
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const index of opened) index.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(home, { recursive: true });
});

async function openCache(limits: { maxBytes?: number; maxItemBytes?: number } = {}): Promise<MediaCache> {
  const path = join(home, "media.db");
  const index = new IndexFile(path, mediaIndexMigrations, pino({ level: "silent" }));
  opened.push(index);
  return MediaCache.open({
    folder: join(home, "media", "v1"),
    index: new MediaIndex(index),
    blocklist: new CreativeBlocklist(index),
    clock,
    retryMs: 1,
    limits: { maxBytes: 1e9, minFreeBytes: 0, maxItemBytes: 1e9, ...limits },
    fetch: (url, signal, headers) => fetch(url, { signal, ...(headers === undefined ? {} : { headers }) }),
  });
}

const wanted = (path: string, changes: { sizeBytes?: number; md5?: string; mimeType?: string } = {}) => {
  return { url: origin + path, mimeType: "image/png", sizeBytes: null, md5: null, ...changes };
};

function kept(outcome: MediaOutcome) {
  if (outcome.kind !== "kept") throw new Error(`not kept: ${outcome.reason}`);
  return outcome.media;
}

const files = () => readdirSync(join(home, "media", "v1"));

describe("the media cache", () => {
  it("keeps a file under the SHA-256 of its bytes", async () => {
    const body = png(100_000);
    answers["/a"] = send(body);
    const cache = await openCache();
    const media = kept(await cache.obtain(wanted("/a"), never));
    expect(media).toMatchObject({ digest: sha256(body), sizeBytes: body.length });
    expect(readFileSync(media.path).equals(body)).toBe(true);
    expect(files()).toEqual([sha256(body)]);
  });

  it("downloads once what many ask for at the same time", async () => {
    answers["/a"] = send(png(50_000));
    const cache = await openCache();
    await Promise.all(Array.from({ length: 20 }, () => cache.obtain(wanted("/a"), never)));
    expect(requests).toEqual(["/a"]);
  });

  it("finds after a restart what it downloaded before", async () => {
    answers["/a"] = send(png(1_000));
    const first = await openCache();
    await first.obtain(wanted("/a"), never);
    opened.pop()?.close();
    const second = await openCache();
    kept(await second.obtain(wanted("/a"), never));
    expect(requests).toEqual(["/a"]);
  });

  it("takes the whole URL for the key, query and all (F15)", async () => {
    answers["/a?signature=1"] = send(png(1_000));
    answers["/a?signature=2"] = send(png(1_000));
    const cache = await openCache();
    await cache.obtain(wanted("/a?signature=1"), never);
    await cache.obtain(wanted("/a?signature=2"), never);
    expect(requests).toHaveLength(2);
  });

  it("takes the digest for the key where the service gives one (F15)", async () => {
    const body = png(1_000);
    answers["/a?signature=1"] = send(body);
    const cache = await openCache();
    kept(await cache.obtain(wanted("/a?signature=1", { md5: md5(body) }), never));
    kept(await cache.obtain(wanted("/a?signature=2", { md5: md5(body) }), never));
    expect(requests).toHaveLength(1);
  });

  it.each([
    ["a size that is not the promised one (F16)", { sizeBytes: 999 }, /999 bytes promised, 1000 received/],
    ["bytes that are not the promised ones (F16)", { md5: "0".repeat(32) }, /md5 0+ promised/],
    ["bytes that are not of the promised type", { mimeType: "video/mp4" }, /not video\/mp4/],
  ])("refuses %s and leaves nothing behind", async (_, changes, reason) => {
    answers["/a"] = send(png(1_000));
    const cache = await openCache();
    const outcome = await cache.obtain(wanted("/a", changes), never);
    expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringMatching(reason) });
    expect(files()).toEqual([]);
  });

  it("refuses an empty file", async () => {
    answers["/a"] = send(Buffer.alloc(0));
    const outcome = await (await openCache()).obtain(wanted("/a"), never);
    expect(outcome).toMatchObject({ kind: "failed", reason: "no bytes" });
  });

  it("stops at the largest size of an item instead of filling the disk", async () => {
    answers["/a"] = (_, response) => {
      response.writeHead(200);
      const pour = () => response.destroyed || response.write(png(65_536), pour);
      pour();
    };
    const outcome = await (await openCache({ maxItemBytes: 1_000_000 })).obtain(wanted("/a"), never);
    expect(outcome).toMatchObject({ kind: "failed", reason: "more than 1000000 bytes" });
    expect(files()).toEqual([]);
  });

  it("tries again when the connection breaks half-way", async () => {
    const body = png(100_000);
    answers["/a"] = (_, response) => {
      response.writeHead(200, { "content-length": body.length });
      if (requests.length === 1) response.write(body.subarray(0, 50_000), () => response.destroy());
      else response.end(body);
    };
    const media = kept(await (await openCache()).obtain(wanted("/a"), never));
    expect(media.digest).toBe(sha256(body));
    expect(files()).toEqual([media.digest]);
  });

  it("does not try again what the server refuses", async () => {
    const outcome = await (await openCache()).obtain(wanted("/gone"), never);
    expect(outcome).toMatchObject({ kind: "failed", reason: "status 404", transient: false, status: 404 });
    expect(requests).toHaveLength(1);
  });

  it("finds a flipped bit before anything is shown, and fetches the file again", async () => {
    const body = png(10_000);
    answers["/a"] = send(body);
    const cache = await openCache();
    const { path } = kept(await cache.obtain(wanted("/a"), never));
    const flipped = Buffer.from(body);
    flipped.writeUInt8(flipped.readUInt8(5_000) ^ 1, 5_000);
    writeFileSync(path, flipped);
    kept(await cache.obtain(wanted("/a"), never));
    expect(requests).toHaveLength(2);
    expect(readFileSync(path).equals(body)).toBe(true);
  });

  it("fetches again what somebody deleted", async () => {
    answers["/a"] = send(png(10_000));
    const cache = await openCache();
    rmSync(kept(await cache.obtain(wanted("/a"), never)).path);
    kept(await cache.obtain(wanted("/a"), never));
    expect(requests).toHaveLength(2);
  });

  it("goes on when somebody deletes its folder to have room", async () => {
    answers["/a"] = send(png(10_000));
    answers["/b"] = send(png(10_000));
    const cache = await openCache();
    kept(await cache.obtain(wanted("/a"), never));
    rmSync(join(home, "media"), { recursive: true });
    kept(await cache.obtain(wanted("/b"), never));
    kept(await cache.obtain(wanted("/a"), never));
    expect(requests).toEqual(["/a", "/b", "/a"]);
  });

  it("sweeps partial files and strangers when it opens", async () => {
    await openCache();
    writeFileSync(join(home, "media", "v1", "0123.part"), "half");
    writeFileSync(join(home, "media", "v1", "f".repeat(64)), "unknown");
    await openCache();
    expect(files()).toEqual([]);
  });

  it("says which folder is not its own, and what the disk says", async () => {
    writeFileSync(join(home, "media"), "no folder");
    const folder = join(home, "media", "v1");
    await expect(openCache()).rejects.toThrow(
      new StoreUnusable(`${folder} cannot be used (ENOTDIR): ${remedyFor("ENOTDIR")}`),
    );
  });

  it.runIf(HAS_SMALL_DISKS)("opens with a stranger that cannot be removed", async () => {
    const stranger = join(home, "media", "v1", "lost+found");
    mkdirSync(stranger, { recursive: true });
    // What something is mounted at cannot be.
    spawnSync("mount", ["--bind", stranger, stranger]);
    try {
      answers["/a"] = send(png(1_000));
      kept(await (await openCache()).obtain(wanted("/a"), never));
      expect(files()).toContain("lost+found");
    } finally {
      spawnSync("umount", ["-l", stranger]);
    }
  });

  it("evicts the least recently used to stay in its budget, never what is held", async () => {
    for (const name of ["a", "b", "c"]) answers[`/${name}`] = send(png(4_000));
    const cache = await openCache({ maxBytes: 10_000 });
    const a = kept(await cache.obtain(wanted("/a"), never));
    const b = kept(await cache.obtain(wanted("/b"), never));
    cache.release(b.digest);
    const c = kept(await cache.obtain(wanted("/c"), never));
    expect([a, b, c].map(({ path }) => existsSync(path))).toEqual([true, false, true]);
    expect(cache.size()).toEqual({ files: 2, bytes: 8_192 });
  });

  it("evicts what was used before the clock was set back to 1970, not what has been since", async () => {
    for (const name of ["a", "b", "c", "d"]) answers[`/${name}`] = send(png(4_000));
    const cache = await openCache({ maxBytes: 10_000 });
    const obtain = async (name: string) => {
      await clock.advance(1_000);
      const media = kept(await cache.obtain(wanted(`/${name}`), never));
      cache.release(media.digest);
      return media;
    };
    const [a, b] = [await obtain("a"), await obtain("b")];
    clock.jumpWall(-clock.wall());
    const [c, d] = [await obtain("c"), await obtain("d")];
    expect([a, b, c, d].map(({ path }) => existsSync(path))).toEqual([false, false, true, true]);
  });
});

/** Serves a body with Range, and breaks each of the first connections after so many bytes. */
function breaking(body: Buffer, drops: number, afterBytes: number, headers: Record<string, string> = { etag: '"v1"' }) {
  const sent = { bytes: 0, ranges: [] as (string | undefined)[] };
  const answer: Answer = (request, response) => {
    const { range } = request.headers;
    sent.ranges.push(range);
    const matches = range !== undefined && request.headers["if-range"] === headers.etag;
    const start = matches ? Number(/^bytes=(\d+)-$/.exec(range)?.[1]) : 0;
    const rest = body.subarray(start);
    response.writeHead(matches ? 206 : 200, {
      ...headers,
      "content-length": rest.length,
      ...(matches ? { "content-range": `bytes ${start}-${body.length - 1}/${body.length}` } : {}),
    });
    const drop = sent.ranges.length <= drops;
    const chunk = drop ? rest.subarray(0, afterBytes) : rest;
    sent.bytes += chunk.length;
    response.write(chunk, () => (drop ? response.destroy() : response.end()));
  };
  return { sent, answer };
}

/** What was sent and is on its way when a connection breaks is lost. */
const IN_FLIGHT_BYTES = 128 * 1024;

describe("a media index that breaks", () => {
  const breakIndex = () => {
    // What SQLite has in memory it does not read again.
    opened.at(-1)?.use((db) => db.prepare("pragma shrink_memory").run());
    for (const suffix of ["", "-wal"]) {
      const path = join(home, `media.db${suffix}`);
      if (existsSync(path)) writeFileSync(path, Buffer.alloc(readFileSync(path).length, 0xff), { flag: "r+" });
    }
  };

  it("while the player runs, is made anew, and what was held stays", async () => {
    const [a, b] = [png(1_000), png(2_000)];
    answers["/a"] = send(a);
    answers["/b"] = send(b);
    const cache = await openCache();
    const held = kept(await cache.obtain(wanted("/a"), never));
    const released = kept(await cache.obtain(wanted("/b"), never));
    cache.release(released.digest);
    breakIndex();
    expect(kept(await cache.obtain(wanted("/b"), never)).digest).toBe(released.digest);
    expect(requests).toEqual(["/a", "/b", "/b"]);
    expect(existsSync(held.path)).toBe(true);
    expect(cache.size().files).toBe(1);
  });

  it("by being cut anywhere, with its log, costs downloads only: no broken byte is handed out", async () => {
    const bodies = Array.from({ length: 40 }, () => png(500));
    bodies.forEach((body, name) => {
      answers[`/${name}`] = send(body);
    });
    const whole = await openCache();
    for (const name of bodies.keys()) await whole.obtain(wanted(`/${name}`), never);
    const { path } = kept(await whole.obtain(wanted("/0"), never));
    const files = ["media.db", "media.db-wal"].map((name) => ({ name, bytes: readFileSync(join(home, name)) }));
    // Windows lets nobody replace a file that is open, as a crash leaves none.
    opened.pop()?.close();
    for (const torn of files) {
      for (let length = 0; length <= torn.bytes.length; length += TORN_BYTES) {
        for (const { name, bytes } of files) writeFileSync(join(home, name), bytes);
        rmSync(join(home, "media.db-shm"), { force: true });
        truncateSync(join(home, torn.name), length);
        const cache = await openCache();
        for (const name of [0, 20, 39]) {
          const media = kept(await cache.obtain(wanted(`/${name}`), never));
          expect(sha256(readFileSync(media.path))).toBe(sha256(bodies[name] ?? png(8)));
        }
        opened.pop()?.close();
      }
    }
    expect(existsSync(path)).toBe(true);
  });
});

it("a file that was cut anywhere is found out and fetched again", async () => {
  const body = png(40_000);
  answers["/a"] = send(body);
  const cache = await openCache();
  for (let length = 0; length < body.length; length += TORN_BYTES) {
    truncateSync(kept(await cache.obtain(wanted("/a"), never)).path, length);
    expect(sha256(readFileSync(kept(await cache.obtain(wanted("/a"), never)).path))).toBe(sha256(body));
  }
  expect(requests).toHaveLength(1 + Math.ceil(body.length / TORN_BYTES));
});

describe("a download whose connection breaks", () => {
  it("goes on where it broke off, with the version that it belongs to", async () => {
    const body = png(300_000);
    const { sent, answer } = breaking(body, 2, 100_000);
    answers["/a"] = answer;
    const media = kept(await (await openCache()).obtain(wanted("/a", { md5: md5(body) }), never));
    expect(readFileSync(media.path).equals(body)).toBe(true);
    expect(sent.ranges[0]).toBeUndefined();
    expect(sent.ranges.slice(1).every((range) => range !== undefined)).toBe(true);
    expect(sent.bytes).toBeLessThanOrEqual(body.length + 2 * IN_FLIGHT_BYTES);
  });

  it("is not given up while every connection brings something", async () => {
    const body = png(2_000_000);
    const { sent, answer } = breaking(body, 20, 90_000);
    answers["/a"] = answer;
    kept(await (await openCache()).obtain(wanted("/a"), never));
    expect(sent.ranges).toHaveLength(21);
    expect(sent.bytes).toBeLessThanOrEqual(body.length + 20 * IN_FLIGHT_BYTES);
  });

  it("goes on at the next spot where all tries of this one were in vain", async () => {
    const body = png(300_000);
    const { sent, answer } = breaking(body, 1, 200_000);
    let down = false;
    answers["/a"] = (request, response) => {
      if (down) return void response.destroy();
      answer(request, response);
      down = true;
    };
    const cache = await openCache();
    expect(await cache.obtain(wanted("/a"), never)).toMatchObject({ kind: "failed", transient: true });
    down = false;
    kept(await cache.obtain(wanted("/a"), never));
    expect(sent.ranges[1]).toMatch(/^bytes=\d+-$/);
  });

  it("starts over when the file has changed meanwhile: a 200 is the whole of it", async () => {
    const [before, after] = [png(200_000), png(150_000)];
    const first = breaking(before, 1, 100_000);
    const second = breaking(after, 0, 0, { etag: '"v2"' });
    answers["/a"] = (request, response) => (first.sent.ranges.length === 0 ? first : second).answer(request, response);
    const media = kept(await (await openCache()).obtain(wanted("/a"), never));
    expect(readFileSync(media.path).equals(after)).toBe(true);
  });

  it("starts over when the server sends another range, or none can be had", async () => {
    const body = png(200_000);
    const { answer } = breaking(body, 2, 100_000);
    let asked = 0;
    answers["/a"] = (request, response) => {
      asked++;
      if (asked === 2) return void response.writeHead(206, { "content-range": "bytes 7-9/200000" }).end("abc");
      if (asked === 4) return void response.writeHead(416).end();
      answer(request, response);
    };
    const media = kept(await (await openCache()).obtain(wanted("/a"), never));
    expect(readFileSync(media.path).equals(body)).toBe(true);
  });

  it("starts over once when two halves do not fit together", async () => {
    const body = png(200_000);
    const { sent, answer } = breaking(body, 1, 100_000);
    answers["/a"] = (request, response) => {
      if (sent.ranges.length !== 1) return answer(request, response);
      sent.ranges.push(request.headers.range);
      const start = Number(/\d+/.exec(request.headers.range ?? "")?.[0]);
      const rest = Buffer.alloc(body.length - start, 1);
      response.writeHead(206, { "content-range": `bytes ${start}-199999/200000`, "content-length": rest.length });
      response.end(rest);
    };
    const media = kept(await (await openCache()).obtain(wanted("/a", { md5: md5(body) }), never));
    expect(readFileSync(media.path).equals(body)).toBe(true);
  });

  it.each([
    ["a weak ETag", { etag: 'W/"v1"' }],
    ["no version", {} as Record<string, string>],
  ])("is not resumed by %s", async (_, headers) => {
    const body = png(200_000);
    const { sent, answer } = breaking(body, 1, 100_000, headers);
    answers["/a"] = answer;
    kept(await (await openCache()).obtain(wanted("/a"), never));
    expect(sent.ranges).toEqual([undefined, undefined]);
  });

  it("is not resumed by a compressed answer", async () => {
    const body = png(200_000);
    const { sent, answer } = breaking(gzipSync(body), 1, 100_000, { etag: '"v1"', "content-encoding": "gzip" });
    answers["/a"] = answer;
    const media = kept(await (await openCache()).obtain(wanted("/a"), never));
    expect(readFileSync(media.path).equals(body)).toBe(true);
    expect(sent.ranges).toEqual([undefined, undefined]);
  });

  it("leaves nothing half-way behind at the next start", async () => {
    const { answer } = breaking(png(200_000), 1, 100_000);
    let asked = 0;
    answers["/a"] = (request, response) => (asked++ === 0 ? answer(request, response) : response.destroy());
    await (await openCache()).obtain(wanted("/a"), never);
    expect(files()).toHaveLength(1);
    await openCache();
    expect(files()).toEqual([]);
  });
});

describe("a creative that cannot be used", () => {
  const DAY_MS = 24 * 3_600_000;

  it("is refused by its announced size without a byte of it, and not asked for again that day", async () => {
    answers["/a"] = send(png(2_000_000));
    const cache = await openCache({ maxItemBytes: 1_000_000 });
    for (let spot = 0; spot < 5; spot++) {
      const outcome = await cache.obtain(wanted("/a"), never);
      expect(outcome).toMatchObject({ kind: "failed", reason: expect.stringContaining("more than 1000000 bytes") });
    }
    expect(requests).toHaveLength(1);
    await clock.advance(DAY_MS);
    await cache.obtain(wanted("/a"), never);
    expect(requests).toHaveLength(2);
  });

  it("is asked for again once the configuration lets files be as large", async () => {
    answers["/a"] = send(png(2_000_000));
    const small = await openCache({ maxItemBytes: 1_000_000 });
    expect(await small.obtain(wanted("/a"), never)).toMatchObject({
      kind: "failed",
      reason: "more than 1000000 bytes",
    });
    kept(await (await openCache({ maxItemBytes: 3_000_000 })).obtain(wanted("/a"), never));
  });

  it("is not asked for at all when the spot itself says that it is too large", async () => {
    const cache = await openCache({ maxItemBytes: 1_000_000 });
    expect(await cache.obtain(wanted("/a", { sizeBytes: 1_000_001 }), never)).toMatchObject({ kind: "failed" });
    expect(requests).toEqual([]);
  });

  it("is not asked for again at once after three broken downloads, restarts or not", async () => {
    answers["/a"] = send(png(1_000));
    const broken = wanted("/a", { mimeType: "video/mp4" });
    for (let spot = 0; spot < 6; spot++) {
      const cache = await openCache();
      expect(await cache.obtain(broken, never)).toMatchObject({ kind: "failed", transient: false });
    }
    expect(requests).toHaveLength(3);
    await clock.advance(60_000);
    await (await openCache()).obtain(broken, never);
    expect(requests).toHaveLength(4);
  });

  it("is not handed out while it is blocked, though it is on the disk", async () => {
    answers["/a"] = send(png(1_000));
    const cache = await openCache();
    kept(await cache.obtain(wanted("/a"), never));
    const blocklist = new CreativeBlocklist(opened.at(-1) as IndexFile);
    for (let deck = 0; deck < 3; deck++) blocklist.strike(`${origin}/a`, "creative", "crashed", clock.wall());
    expect(await cache.obtain(wanted("/a"), never)).toMatchObject({ kind: "failed", transient: false });
  });

  it("is not blocked for what the network does", async () => {
    answers["/a"] = (_, response) => response.writeHead(503).end();
    const cache = await openCache();
    for (let spot = 0; spot < 4; spot++) await cache.obtain(wanted("/a"), never);
    answers["/a"] = send(png(1_000));
    kept(await cache.obtain(wanted("/a"), never));
  });
});

describe("a file that may have changed at its server", () => {
  const versioned =
    (body: Buffer, etag: string, cacheControl = "max-age=3600"): Answer =>
    (request, response) => {
      const headers = { etag, "cache-control": cacheControl };
      if (request.headers["if-none-match"] === etag) return void response.writeHead(304, headers).end();
      response.writeHead(200, { ...headers, "content-length": body.length }).end(body);
    };

  it("is not asked after while it is fresh, and only once when it is not", async () => {
    answers["/a"] = versioned(png(1_000), '"v1"');
    const cache = await openCache();
    kept(await cache.obtain(wanted("/a"), never));
    await clock.advance(3_599_000);
    await cache.revalidate(wanted("/a"), never);
    expect(requests).toHaveLength(1);
    await clock.advance(1_000);
    await cache.revalidate(wanted("/a"), never);
    await cache.revalidate(wanted("/a"), never);
    expect(requests).toHaveLength(2);
  });

  it("is asked after where the clock was set back by years, which would keep it fresh for as long", async () => {
    answers["/a"] = versioned(png(1_000), '"v1"');
    const cache = await openCache();
    kept(await cache.obtain(wanted("/a"), never));
    clock.jumpWall(-clock.wall());
    await cache.revalidate(wanted("/a"), never);
    await cache.revalidate(wanted("/a"), never);
    expect(requests).toHaveLength(2);
  });

  it("is asked after once at a time, and for no longer than ten minutes, though its server goes on sending", async () => {
    answers["/a"] = versioned(png(1_000), '"v1"');
    const cache = await openCache();
    kept(await cache.obtain(wanted("/a"), never));
    const { answer, halfSent } = halting(png(2_000));
    let closed: Promise<unknown> = Promise.resolve();
    answers["/a"] = (request, response) => {
      closed = new Promise((resolve) => response.once("close", resolve));
      answer(request, response);
    };
    await clock.advance(3_600_000);
    const first = cache.revalidate(wanted("/a"), never);
    await halfSent;
    clock.jumpWall(3_600_000);
    const second = cache.revalidate(wanted("/a"), never);
    await clock.advance(599_999);
    expect(requests).toHaveLength(2);
    await clock.advance(1);
    await Promise.all([first, second, closed, cache.quiet()]);
    expect(requests).toHaveLength(2);
    clock.jumpWall(3_600_000);
    answers["/a"] = versioned(png(2_000), '"v2"');
    await cache.revalidate(wanted("/a"), never);
    expect(requests).toHaveLength(3);
  });

  it("is replaced by its new version for the next time", async () => {
    const [before, after] = [png(1_000), png(2_000)];
    answers["/a"] = versioned(before, '"v1"', "no-cache");
    const cache = await openCache();
    const old = kept(await cache.obtain(wanted("/a"), never));
    answers["/a"] = versioned(after, '"v2"');
    await clock.advance(3_600_000);
    await cache.revalidate(wanted("/a"), never);
    expect(existsSync(old.path)).toBe(true);
    expect(kept(await cache.obtain(wanted("/a"), never)).digest).toBe(sha256(after));
    expect(requests).toHaveLength(2);
  });

  it.each([
    ["cannot be reached", (_: IncomingMessage, response: ServerResponse) => void response.destroy()],
    ["says that it is gone", (_: IncomingMessage, response: ServerResponse) => void response.writeHead(404).end()],
    ["sends something else", send(Buffer.from("<html>maintenance</html>"), "text/html")],
  ])("stays as it is when the server %s", async (_, answer) => {
    const body = png(1_000);
    answers["/a"] = versioned(body, '"v1"');
    const cache = await openCache();
    kept(await cache.obtain(wanted("/a"), never));
    answers["/a"] = answer;
    await clock.advance(3_600_000);
    await cache.revalidate(wanted("/a"), never);
    expect(kept(await cache.obtain(wanted("/a"), never)).digest).toBe(sha256(body));
  });
});

/** Has the cache of this test on a disk of its own, which can be filled. */
function moveToSmallDisk() {
  const disk = smallDisk(2 * 1024 * 1024);
  rmSync(home, { recursive: true });
  home = join(disk.path, "home");
  return disk;
}

describe.skipIf(!HAS_SMALL_DISKS)("a disk that takes nothing", () => {
  it("keeps no file from the screen that is on it whole, and ends nothing", async () => {
    const disk = moveToSmallDisk();
    answers["/a"] = send(png(1_000));
    const cache = await openCache();
    const blocklist = new CreativeBlocklist(opened.at(-1) as IndexFile);
    const { digest } = kept(await cache.obtain(wanted("/a"), never));
    cache.release(digest);
    disk.fill();
    await clock.advance(1_000);
    kept(await cache.obtain(wanted("/a"), never));
    for (let strike = 0; strike < 2; strike++) blocklist.strike(`${origin}/a`, "creative", "hung", clock.wall());
    blocklist.clear(`${origin}/a`);
    kept(await cache.obtain(wanted("/a"), never));
  });

  it("leaves no hole in a file whose connection broke while it took nothing, and goes on once it does", async () => {
    const disk = moveToSmallDisk();
    const body = png(100_000);
    const cache = await openCache();
    let free = () => {};
    let asked = 0;
    answers["/a"] = (request, response) => {
      if (++asked === 1) {
        free = disk.fill();
        response.writeHead(200, { "content-type": "image/png", "content-length": body.length, etag: '"v1"' });
        return void response.write(body.subarray(0, 40_000), () => setTimeout(() => response.destroy(), 20));
      }
      free();
      const start = Number(/\d+/.exec(request.headers.range ?? "0")?.[0]);
      const head = { "content-type": "image/png", "content-length": body.length - start };
      const range = { "content-range": `bytes ${start}-${body.length - 1}/${body.length}` };
      response.writeHead(start === 0 ? 200 : 206, start === 0 ? head : { ...head, ...range });
      response.end(body.subarray(start));
    };
    const { path, digest } = kept(await cache.obtain(wanted("/a"), never));
    expect(digest).toBe(sha256(body));
    expect(sha256(readFileSync(path))).toBe(digest);
  });
});

/** What browsers ask for a page with, in a frame, too. */
const AS_A_FRAME = { usual: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }, own: {}, query: null };
const LOGIN = "<!doctype html><title>Hotel</title>Please log in";
const html = (body: string) => send(Buffer.from(body), "text/html; charset=utf-8");

/** A host of its own with a page for people, to which `redirect` leads. */
async function portal() {
  const { origin: at, answers: its } = await mediaOrigin("127.0.0.9");
  its["/login"] = html(LOGIN);
  const redirect: Answer = (_, response) => void response.writeHead(302, { location: `${at}/login` }).end();
  return { at, its, redirect };
}

const read = (outcome: MediaOutcome) => readFileSync(kept(outcome).path, "utf8");

describe("a captive portal that redirects everything to a page of its own", () => {
  const page = () => wanted("/a", { mimeType: "text/html" });
  const part = () => ({ ...wanted("/a"), mimeType: null });
  const frame = () => ({ ...part(), asked: AS_A_FRAME });

  it.each([
    ["a page", page, "<!doctype html>the ad", "text/html"],
    ["a page in a frame", frame, "<p>the ad", "text/html"],
    ["a picture in a frame", frame, "a picture", "image/gif"],
    ["a script", part, "go()", "text/javascript"],
    ["a picture", () => wanted("/a"), "\x89PNG\r\n\x1a\n", "image/png"],
  ])("replaces %s by nothing, and leaves nothing behind", async (_, request, body, type) => {
    const { redirect } = await portal();
    answers["/a"] = send(Buffer.from(body, "latin1"), type);
    const cache = await openCache();
    const { digest } = kept(await cache.obtain(request(), never));
    answers["/a"] = redirect;
    await clock.advance(3_600_000);
    await cache.revalidate(request(), never);
    expect(kept(await cache.obtain(request(), never)).digest).toBe(digest);
    expect(files()).toEqual([digest]);
  });

  it("does not keep a page from being brought up to date that is on another host itself", async () => {
    const { its, redirect } = await portal();
    answers["/a"] = redirect;
    const cache = await openCache();
    await cache.obtain(page(), never);
    its["/login"] = html("<!doctype html>new");
    await clock.advance(3_600_000);
    await cache.revalidate(page(), never);
    expect(read(await cache.obtain(page(), never))).toBe("<!doctype html>new");
  });

  it("replaces no picture of that very host in a frame by its page", async () => {
    const { its, redirect } = await portal();
    answers["/a"] = redirect;
    its["/login"] = send(Buffer.from("a picture"), "image/gif");
    const cache = await openCache();
    await cache.obtain(frame(), never);
    its["/login"] = html(LOGIN);
    await clock.advance(3_600_000);
    await cache.revalidate(frame(), never);
    expect(read(await cache.obtain(frame(), never))).toBe("a picture");
  });

  it("takes no part of another page away that has the same bytes", async () => {
    const { redirect } = await portal();
    answers["/a"] = html("<!doctype html>the ad");
    answers["/b"] = html(LOGIN);
    const cache = await openCache();
    cache.release(kept(await cache.obtain(page(), never)).digest);
    const { path, digest } = kept(await cache.obtain(wanted("/b", { mimeType: "text/html" }), never));
    answers["/a"] = redirect;
    await clock.advance(3_600_000);
    for (const round of ["held", "released"]) {
      await cache.revalidate(page(), never);
      expect([round, existsSync(path)]).toEqual([round, true]);
      if (round === "held") cache.release(digest);
      await clock.advance(3_600_000);
    }
  });

  it.each([
    ["a part of a page", part, "go()"],
    ["a picture", () => wanted("/a"), "\x89PNG\r\n\x1a\n"],
  ])("counts for %s that is not there yet as a host that cannot be reached, each time", async (_, request, body) => {
    const { redirect } = await portal();
    answers["/a"] = redirect;
    const cache = await openCache();
    for (let spot = 0; spot < 4; spot++) {
      const outcome = await cache.obtain(request(), never);
      const reason = "CaptivePortal: 127.0.0.9 answers with a page";
      expect(outcome).toMatchObject({ kind: "failed", transient: true, status: null, reason });
    }
    expect(files()).toEqual([]);
    answers["/a"] = send(Buffer.from(body, "latin1"), "");
    expect(kept(await cache.obtain(request(), never)).sizeBytes).toBe(body.length);
  });

  it.each([
    ["a page", page, 200],
    ["a page in a frame", frame, 200],
    ["what its own server has no more, and says so on a page of another", part, 404],
  ])("is not told from another host for %s that is not there yet", async (_, request, status) => {
    const { its, redirect } = await portal();
    answers["/a"] = redirect;
    its["/login"] = (_, response) => response.writeHead(status, { "content-type": "text/html" }).end(LOGIN);
    const outcome = await (await openCache()).obtain(request(), never);
    expect(outcome).toMatchObject(status === 200 ? { kind: "kept" } : { kind: "failed", transient: false, status });
  });
});
