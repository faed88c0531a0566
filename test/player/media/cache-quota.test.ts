import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openShared } from "../../../src/player/stores/database.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../../support/machine/small-disk.ts";
import { kept, mediaOrigin, type OpenedCache, openMediaCache, png, send } from "../../support/player/media-origin.ts";

const never = new AbortController().signal;

/** Writes to the index of a cache as another process would, until the function it returns is called. */
function writeBeside({ folder }: OpenedCache): () => void {
  const other = openShared(join(folder, "media.db"));
  other.exec("begin immediate");
  return () => {
    other.exec("rollback");
    other.close();
  };
}

describe("a media index that another process writes to", () => {
  it("keeps no file from the screen that is in the cache", async () => {
    const { answers, requests, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const opened = await openMediaCache();
    await opened.cache.obtain(wanted("/a"), never);
    const end = writeBeside(opened);
    expect(kept(await opened.cache.obtain(wanted("/a"), never)).found).toBe(true);
    end();
    expect(requests).toEqual(["/a"]);
  });

  it("learns of a file that came meanwhile when that is no longer needed", async () => {
    const { answers, requests, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const opened = await openMediaCache();
    const end = writeBeside(opened);
    const { media } = kept(await opened.cache.obtain(wanted("/a"), never));
    end();
    expect(existsSync(media.path)).toBe(true);
    opened.cache.release(media.digest);
    expect(kept(await opened.cache.obtain(wanted("/a"), never)).found).toBe(true);
    expect(requests).toEqual(["/a"]);
  });

  it("leaves no file behind that it never learnt of", async () => {
    const { answers, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const opened = await openMediaCache();
    const end = writeBeside(opened);
    const { media } = kept(await opened.cache.obtain(wanted("/a"), never));
    expect(existsSync(media.path)).toBe(true);
    opened.cache.release(media.digest);
    expect(existsSync(media.path)).toBe(false);
    end();
  });

  it("loses no file that came a second time meanwhile", async () => {
    const { answers, wanted } = await mediaOrigin();
    answers["/a"] = send("the same");
    answers["/b"] = send("the same");
    const opened = await openMediaCache();
    const { media } = kept(await opened.cache.obtain(wanted("/a"), never));
    opened.cache.release(media.digest);
    const end = writeBeside(opened);
    expect(kept(await opened.cache.obtain(wanted("/b"), never)).media.digest).toBe(media.digest);
    opened.cache.release(media.digest);
    end();
    expect(kept(await opened.cache.obtain(wanted("/a"), never)).found).toBe(true);
  });
});

describe.skipIf(!HAS_SMALL_DISKS)("a disk that has room for bytes and for no more files", () => {
  it("takes what is new in place of what is old, never of what is held", async () => {
    const { answers, wanted } = await mediaOrigin();
    const { cache } = await openMediaCache(smallDisk(64 * 1024 * 1024, 70).path);
    const obtain = async (name: string) => {
      answers[name] = send(png(1_000));
      return kept(await cache.obtain(wanted(name), never)).media;
    };
    const held = await obtain("/held");
    for (let name = 0; name < 200; name++) cache.release((await obtain(`/${name}`)).digest);
    expect(existsSync(held.path)).toBe(true);
    expect(kept(await cache.obtain(wanted("/199"), never)).found).toBe(true);
  });
});
