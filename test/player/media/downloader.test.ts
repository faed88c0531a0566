import { existsSync } from "node:fs";
import { constants } from "node:os";
import { describe, expect, it } from "vitest";
import type { Progress } from "../../../src/player/media/download.ts";
import { Downloader } from "../../../src/player/media/downloader.ts";
import { FREE_LINE } from "../../../src/player/network/media-line.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { halting, kept, mediaOrigin, openMediaCache, png, send } from "../../support/player/media-origin.ts";

const never = new AbortController().signal;

describe("a download that several wait for", () => {
  it("goes on when the first of them no longer asks", async () => {
    const { answers, requests, wanted } = await mediaOrigin();
    const { answer, halfSent, goOn } = halting(png(100_000));
    answers["/a"] = answer;
    const { cache } = await openMediaCache();
    const first = new AbortController();
    const leaving = cache.obtain(wanted("/a"), first.signal);
    const staying = cache.obtain(wanted("/a"), never);
    await halfSent;
    first.abort();
    expect(await leaving).toEqual({ kind: "failed", reason: "called off", transient: true, status: null });
    goOn();
    expect(kept(await staying).media.sizeBytes).toBe(100_000);
    expect(requests).toEqual(["/a"]);
  });

  it("is called off when none of them asks any more", async () => {
    const { answers, wanted } = await mediaOrigin();
    let closed: Promise<unknown> = Promise.resolve();
    const { answer, halfSent } = halting(png(100_000));
    answers["/a"] = (request, response) => {
      closed = new Promise((resolve) => response.once("close", resolve));
      answer(request, response);
    };
    const { cache } = await openMediaCache();
    const askers = [new AbortController(), new AbortController()];
    const outcomes = askers.map(({ signal }) => cache.obtain(wanted("/a"), signal));
    await halfSent;
    for (const asker of askers) asker.abort();
    for (const outcome of outcomes) expect(await outcome).toMatchObject({ kind: "failed", transient: true });
    await closed;
    await cache.quiet();
  });

  it("begins anew for a request after it was called off, with what had come", async () => {
    const { answers, requests, wanted } = await mediaOrigin();
    const body = png(400_000);
    const { answer, halfSent } = halting(body);
    let range: string | undefined;
    answers["/a"] = (request, response) => {
      if (requests.length === 1) {
        response.setHeader("etag", '"v1"');
        return answer(request, response);
      }
      range = request.headers.range;
      const start = Number(/\d+/.exec(range ?? "0")?.[0]);
      const rest = body.subarray(start);
      response.writeHead(206, { "content-range": `bytes ${start}-399999/400000`, "content-length": rest.length });
      response.end(rest);
    };
    const { cache } = await openMediaCache();
    const first = new AbortController();
    const arrived = new Promise<void>((resolve) => {
      void cache.obtain(wanted("/a"), first.signal, ({ receivedBytes }) => receivedBytes > 0 && resolve());
    });
    await halfSent;
    await arrived;
    first.abort();
    expect(kept(await cache.obtain(wanted("/a"), never)).media.sizeBytes).toBe(400_000);
    expect(range).toMatch(/^bytes=[1-9]\d*-$/);
  });

  it("is held once for each who waited to its end, and for nobody else", async () => {
    const { answers, wanted } = await mediaOrigin();
    const { answer, halfSent, goOn } = halting(png(1_000));
    answers["/a"] = answer;
    const { cache } = await openMediaCache();
    const leaver = new AbortController();
    const outcomes = [leaver.signal, never, never].map((signal) => cache.obtain(wanted("/a"), signal));
    await halfSent;
    leaver.abort();
    goOn();
    const [, one, other] = await Promise.all(outcomes);
    const { digest, path } = kept(one as never).media;
    kept(other as never);
    cache.release(digest);
    expect(cache.evictNow(1)).toBe(false);
    cache.release(digest);
    expect(cache.evictNow(1)).toBe(true);
    expect(existsSync(path)).toBe(false);
  });

  it("tells each of them how much has come, later ones too", async () => {
    const { answers, wanted } = await mediaOrigin();
    const { answer, goOn } = halting(png(100_000));
    answers["/a"] = answer;
    const { cache } = await openMediaCache();
    const early: Progress[] = [];
    await new Promise<void>((resolve) => {
      void cache.obtain(wanted("/a"), never, (progress) => {
        early.push(progress);
        if (progress.receivedBytes > 0) resolve();
      });
    });
    const late: Progress[] = [];
    const landing = cache.obtain(wanted("/a"), never, (progress) => void late.push(progress));
    expect(late).toEqual([early.at(-1)]);
    goOn();
    await landing;
    expect(early[0]).toEqual({ receivedBytes: 0, announcedBytes: 100_000 });
    expect([early, late].map((heard) => heard.at(-1)?.receivedBytes)).toEqual([100_000, 100_000]);
  });

  it("that nobody asks for any more before it begins is not begun", async () => {
    const { answers, requests, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const { cache } = await openMediaCache();
    expect(await cache.obtain(wanted("/a"), AbortSignal.abort())).toMatchObject({ kind: "failed", transient: true });
    await cache.quiet();
    expect(requests).toEqual([]);
  });
});

// Node has no name for it, and Windows has no such error.
const { EDQUOT } = constants.errno as Partial<typeof constants.errno>;
const overQuota = EDQUOT === undefined ? [] : [{ code: `Unknown system error -${EDQUOT}`, errno: -EDQUOT }];

it.each([
  ["with ENOSPC", { code: "ENOSPC" }, [5_000]],
  ...overQuota.map((refusal) => ["with EDQUOT", refusal, [5_000]] as const),
  ["with EIO", { code: "EIO" }, []],
  ["as read-only", { code: "EROFS" }, []],
] as const)(
  "a download that the disk refuses %s has room made once, and only where room is missing",
  async (_, refusal, expected) => {
    const rooms: number[] = [];
    const downloader = new Downloader({
      ...{ folder: temporaryFolder(), maxBytes: 1e9, line: FREE_LINE, retryMs: 1, hold: () => {}, release: () => {} },
      fetch: () => Promise.reject(Object.assign(new Error("refused"), refusal)),
      makeRoom: async (sizeBytes) => void rooms.push(sizeBytes),
    });
    const wanted = { url: "https://ads.example/a", mimeType: null, sizeBytes: 5_000, md5: null };
    expect(await downloader.download("a", wanted, never)).toMatchObject({ kind: "unreachable" });
    expect(rooms).toEqual(expected);
  },
);
