import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/player/clock.ts";
import { openDatabase } from "../../src/player/database.ts";
import { MediaCache, type MediaOutcome } from "../../src/player/media-cache.ts";
import { MediaIndex, mediaIndexMigrations } from "../../src/player/media-index.ts";

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
let opened: MediaIndex[];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), "spotloop-cache-"));
  answers = {};
  requests = [];
  opened = [];
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
  const opening = openDatabase({ path, durability: "normal", migrations: mediaIndexMigrations });
  if (opening.kind !== "open") throw new Error(opening.kind);
  const index = new MediaIndex(opening.database);
  opened.push(index);
  return MediaCache.open({
    folder: join(home, "media", "v1"),
    index,
    clock: systemClock(),
    limits: { maxBytes: 1e9, minFreeBytes: 0, maxItemBytes: 1e9, ...limits },
    fetch: (url, signal) => fetch(url, { signal }),
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
    expect(outcome).toEqual({ kind: "failed", reason: "no bytes" });
  });

  it("stops at the largest size of an item instead of filling the disk", async () => {
    answers["/a"] = (_, response) => {
      response.writeHead(200);
      const pour = () => response.destroyed || response.write(png(65_536), pour);
      pour();
    };
    const outcome = await (await openCache({ maxItemBytes: 1_000_000 })).obtain(wanted("/a"), never);
    expect(outcome).toEqual({ kind: "failed", reason: "more than 1000000 bytes" });
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
    expect(outcome).toEqual({ kind: "failed", reason: "status 404" });
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

  it("sweeps partial files and strangers when it opens", async () => {
    await openCache();
    writeFileSync(join(home, "media", "v1", "0123.part"), "half");
    writeFileSync(join(home, "media", "v1", "f".repeat(64)), "unknown");
    await openCache();
    expect(files()).toEqual([]);
  });

  it("evicts the least recently used to stay in its budget, never what is held", async () => {
    for (const name of ["a", "b", "c"]) answers[`/${name}`] = send(png(1_000));
    const cache = await openCache({ maxBytes: 2_500 });
    const a = kept(await cache.obtain(wanted("/a"), never));
    const b = kept(await cache.obtain(wanted("/b"), never));
    cache.release(b.digest);
    const c = kept(await cache.obtain(wanted("/c"), never));
    expect([a, b, c].map(({ path }) => existsSync(path))).toEqual([true, false, true]);
    expect(cache.size()).toEqual({ files: 2, bytes: 2_000 });
  });
});
