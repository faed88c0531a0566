import { existsSync, lstatSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { download } from "../../../src/player/media/download.ts";
import { PartialDownload } from "../../../src/player/media/partial-download.ts";
import { FREE_LINE } from "../../../src/player/network/media-line.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { kept, mediaOrigin, openMediaCache, png, send } from "../../support/player/media-origin.ts";

const never = new AbortController().signal;

describe("a file that is held", () => {
  it("stays held when its new version cannot be written down", async () => {
    const { answers, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const { cache, index, clock } = await openMediaCache();
    const { path } = kept(await cache.obtain(wanted("/a"), never)).media;
    index.use((db) => db.prepare(REFUSE_SOURCES).run());
    await clock.advance(3_600_000);
    await cache.revalidate(wanted("/a"), never);
    expect(cache.evictNow(1)).toBe(false);
    expect(existsSync(path)).toBe(true);
  });

  it("is held before it has its name, so that nothing evicts it between", async () => {
    const { answers, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const folder = temporaryFolder();
    const seen: { digest: string; there: boolean }[] = [];
    const result = await download(
      wanted("/a"),
      new PartialDownload(folder, false),
      {
        fetch: (url, signal) => fetch(url, { signal }),
        ...{ folder, maxBytes: 1e9, line: FREE_LINE },
        hold: (digest) => void seen.push({ digest, there: existsSync(join(folder, digest)) }),
        release: (digest) => void seen.push({ digest, there: true }),
      },
      never,
    );
    if (result.kind !== "downloaded") throw new Error(result.kind);
    expect(seen).toEqual([{ digest: result.digest, there: false }]);
  });

  it("is held once for each who has it, where it could not be written down at first, too", async () => {
    const { answers, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const { cache, index } = await openMediaCache();
    index.use((db) => db.prepare(REFUSE_NEW_SOURCES).run());
    const { digest } = kept(await cache.obtain(wanted("/a"), never)).media;
    index.use((db) => db.prepare("drop trigger refuse").run());
    kept(await cache.obtain(wanted("/a"), never));
    cache.release(digest);
    expect(cache.evictNow(1)).toBe(false);
    cache.release(digest);
    expect(cache.evictNow(1)).toBe(true);
  });
});

describe.skipIf(process.platform === "win32")("a file that cannot be read just now", () => {
  it("is not removed for that: it is found again when it can be read, though the network is gone", async () => {
    const { answers, requests, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const { cache } = await openMediaCache();
    const { path, digest } = kept(await cache.obtain(wanted("/a"), never)).media;
    answers["/a"] = (_, response) => void response.writeHead(503).end();
    makeUnreadable(path);
    expect(await cache.obtain(wanted("/a"), never)).toMatchObject({ kind: "failed", transient: true });
    expect(lstatSync(path).isSymbolicLink()).toBe(true);
    renameSync(`${path}.aside`, path);
    requests.length = 0;
    expect(kept(await cache.obtain(wanted("/a"), never))).toMatchObject({ found: true, media: { digest } });
    expect(requests).toEqual([]);
  });

  it("is replaced when it can be downloaded again", async () => {
    const { answers, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const { cache } = await openMediaCache();
    const { path, digest } = kept(await cache.obtain(wanted("/a"), never)).media;
    makeUnreadable(path);
    expect(kept(await cache.obtain(wanted("/a"), never))).toMatchObject({ found: false, media: { digest } });
    expect(lstatSync(path).isFile()).toBe(true);
  });
});

/** The first byte of a process's own memory cannot be read: EIO, as from a worn disk. */
function makeUnreadable(path: string): void {
  renameSync(path, `${path}.aside`);
  symlinkSync("/proc/self/mem", path);
}

const REFUSE_SOURCES = `
  create trigger refuse before update of digest on source begin select raise(abort, 'no'); end`;

const REFUSE_NEW_SOURCES = "create trigger refuse before insert on source begin select raise(abort, 'no'); end";
