import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CacheQuota, eachOf } from "../../../src/player/media/cache-quota.ts";
import { IndexFile, MediaIndex } from "../../../src/player/media/media-index.ts";
import { openShared } from "../../../src/player/stores/database.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../../support/machine/small-disk.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
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

it("a file that the disk does not let go of keeps no other from coming", async () => {
  const { answers, wanted } = await mediaOrigin();
  for (const name of ["/old", "/new"]) answers[name] = send(png(5_000));
  const { cache } = await openMediaCache(temporaryFolder(), new ManualClock(), { maxBytes: 10_000 });
  const { media } = kept(await cache.obtain(wanted("/old"), never));
  cache.release(media.digest);
  rmSync(media.path);
  mkdirSync(media.path);
  expect(kept(await cache.obtain(wanted("/new", { sizeBytes: 5_000 }), never)).found).toBe(false);
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

const SMALL_BYTES = 600;
const BLOCK_BYTES = 4_096;

/** What a page asks for by another URL at each load, and is told something else each time. */
async function ticker(limits: { maxBytes?: number; maxFiles?: number }, folder = temporaryFolder()) {
  const { answers, wanted } = await mediaOrigin();
  const opened = await openMediaCache(folder, new ManualClock(), limits);
  let loads = 0;
  const load = async (sizeBytes = SMALL_BYTES) => {
    const path = `/data?_=${loads++}`;
    answers[path] = send(png(sizeBytes));
    const { media } = kept(await opened.cache.obtain(wanted(path, { sizeBytes }), never));
    opened.cache.release(media.digest);
    return media;
  };
  const files = () => readdirSync(join(folder, "media", "v1")).length;
  return { ...opened, answers, wanted, load, files };
}

/** Leaves a folder with so many small files in it, as a player that knew no bound to them did. */
async function crowded(files: number): Promise<string> {
  const folder = temporaryFolder();
  const { index } = await openMediaCache(folder);
  mkdirSync(join(folder, "media", "v1"), { recursive: true });
  index.use((db) =>
    db.inOneCommit(() => {
      for (let usedAt = 0; usedAt < files; usedAt++) {
        const body = Buffer.alloc(SMALL_BYTES, randomUUID());
        const digest = createHash("sha256").update(body).digest("hex");
        writeFileSync(join(folder, "media", "v1", digest), body);
        db.prepare("insert into file (digest, size_bytes, used_at) values (?, ?, ?)").run(digest, SMALL_BYTES, usedAt);
        db.prepare("insert into source (key, digest, content_type) values (?, ?, '')").run(`old:${usedAt}`, digest);
      }
    }),
  );
  return folder;
}

describe("a page that asks for something else at each load", () => {
  it("leaves no more files than there may be, and none goes that is held or was used since", async () => {
    const { cache, answers, wanted, load, files } = await ticker({ maxFiles: 5 });
    for (const path of ["/held", "/used"]) answers[path] = send(png(1_000));
    const held = kept(await cache.obtain(wanted("/held"), never)).media;
    cache.release(kept(await cache.obtain(wanted("/used"), never)).media.digest);
    for (let round = 0; round < 12; round++) {
      const { path } = await load();
      await load();
      expect(existsSync(path)).toBe(true);
      const used = kept(await cache.obtain(wanted("/used"), never));
      cache.release(used.media.digest);
      expect(used.found).toBe(true);
    }
    expect(existsSync(held.path)).toBe(true);
    expect(files()).toBe(5);
    expect(cache.size()).toEqual({ files: 5, bytes: 5 * BLOCK_BYTES });
  });

  it("takes up no more of the disk than it may, where a small file takes a whole block", async () => {
    const { cache, load, files } = await ticker({ maxBytes: 6 * BLOCK_BYTES });
    for (let round = 0; round < 12; round++) await load();
    expect(files()).toBe(6);
    expect(cache.size()).toEqual({ files: 6, bytes: 6 * BLOCK_BYTES });
  });
});

describe("many small files that an older player left", () => {
  it("go little by little where there are more than there may be, and those that stay can be used", async () => {
    const { cache, index, load, files } = await ticker({ maxFiles: 10 }, await crowded(45));
    expect(cache.size().files).toBe(45);
    const counts: number[] = [];
    const last = index.use((db) => db.prepare<[], string>("select digest from file where used_at = 44").pluck().get());
    for (let round = 0; round < 3; round++) {
      if (round === 1) expect(kept(await cache.obtain(named("old:44"), never)).media.digest).toBe(last);
      await load();
      counts.push(files());
    }
    expect(counts).toEqual([26, 10, 10]);
    expect(kept(await cache.obtain(named("old:44"), never)).found).toBe(true);
    expect(cache.size().files).toBe(10);
  });

  it("make room for a large one without holding up the loop", async () => {
    const { cache, load, files } = await ticker({ maxBytes: 45 * BLOCK_BYTES }, await crowded(45));
    let before = cache.size().files;
    let mostAtOnce = 0;
    const look = () => {
      const now = cache.size().files;
      mostAtOnce = Math.max(mostAtOnce, before - now);
      before = now;
      turn = setImmediate(look);
    };
    let turn = setImmediate(look);
    await load(45 * BLOCK_BYTES);
    clearImmediate(turn);
    expect(files()).toBe(1);
    expect(mostAtOnce).toBe(10);
  });

  it("make room for one that the disk did not take without holding up the loop", async () => {
    const { quota, files } = await quotaOf(100, 100);
    const counts: number[] = [];
    const look = () => {
      counts.push(files());
      turn = setImmediate(look);
    };
    let turn = setImmediate(look);
    await quota.makeRoom(4 * 1024 * 1024);
    clearImmediate(turn);
    expect(files()).toBe(0);
    expect(counts.length).toBeGreaterThan(5);
    expect(Math.max(...counts.map((count, index) => (counts[index - 1] ?? 100) - count))).toBeLessThanOrEqual(10);
  });

  it("go once for the same room, though two ask for it at the same time", async () => {
    const { quota, files } = await quotaOf(200, 205);
    await Promise.all([quota.make(100 * BLOCK_BYTES), quota.make(100 * BLOCK_BYTES)]);
    expect(files()).toBe(105);
  });

  it("are tried to be forgotten once before and once after a few are gone, where the index takes nothing", async () => {
    const { quota, index, files } = await quotaOf(45, 45);
    index.isBusy = true;
    await quota.make(45 * BLOCK_BYTES);
    expect(index.tries).toBe(2);
    expect(files()).toBe(35);
  });
});

/** An index that another process may be writing to. */
class BusyIndex extends MediaIndex {
  isBusy = false;
  tries = 0;

  override forget(digests: readonly string[]): void {
    this.tries++;
    if (this.isBusy) throw Object.assign(new Error("locked"), { code: "SQLITE_BUSY" });
    super.forget(digests);
  }
}

/** A quota of so many blocks, and a folder with so many small files. */
async function quotaOf(small: number, maxBlocks: number) {
  const home = await crowded(small);
  const index = new BusyIndex((await openMediaCache(home)).index);
  const folder = join(home, "media", "v1");
  const limits = { maxBytes: maxBlocks * BLOCK_BYTES, minFreeBytes: 0 };
  const quota = new CacheQuota({ folder, index, limits, discardPartials: async () => {} });
  return { quota, index, files: () => readdirSync(folder).length };
}

/** A request for what is in the index under that key. */
const named = (url: string) => ({ url, mimeType: null, sizeBytes: null, md5: null });

it("looks at each of many files once, and at several at a time", async () => {
  const seen: number[] = [];
  let atOnce = 0;
  let mostAtOnce = 0;
  await eachOf(Array.from({ length: 100 }).keys(), async (number) => {
    mostAtOnce = Math.max(mostAtOnce, ++atOnce);
    await new Promise(setImmediate);
    seen.push(number);
    atOnce--;
  });
  expect(seen.sort((one, other) => one - other)).toEqual([...Array(100).keys()]);
  expect(mostAtOnce).toBe(16);
});

describe("a media index that the disk does not give back", () => {
  const unread = () => Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });

  /** From now on nobody learns which files were used longest ago. */
  function hideUses(index: IndexFile): void {
    index.use = (act) =>
      IndexFile.prototype.use.call(index, (db) => {
        const prepare: typeof db.prepare = (sql) => {
          if (sql.includes("order by used_at")) throw unread();
          return db.prepare(sql);
        };
        return act({ ...db, prepare });
      }) as ReturnType<typeof act>;
  }

  it("has nothing evicted, so that what else makes room on a full disk has its turn", async () => {
    const { answers, wanted } = await mediaOrigin();
    answers["/a"] = send(png(1_000));
    const { cache, index } = await openMediaCache();
    cache.release(kept(await cache.obtain(wanted("/a"), never)).media.digest);
    hideUses(index);
    expect(cache.evictNow(1)).toBe(false);
  });

  it("keeps no file from the screen that came whole, though another one should have gone", async () => {
    const { answers, wanted } = await mediaOrigin();
    const { cache, index } = await openMediaCache(undefined, undefined, { maxFiles: 1 });
    for (const path of ["/a", "/b"]) answers[path] = send(png(1_000));
    cache.release(kept(await cache.obtain(wanted("/a"), never)).media.digest);
    hideUses(index);
    expect(kept(await cache.obtain(wanted("/b"), never)).found).toBe(false);
  });

  it.skipIf(process.platform === "win32")(
    "is made anew on another disk, which has no folder of media yet",
    async () => {
      const { answers, wanted } = await mediaOrigin();
      answers["/a"] = send(png(1_000));
      const { cache, index, folder } = await openMediaCache();
      rmSync(join(folder, "media"), { recursive: true });
      for (const suffix of ["", "-wal", "-shm"]) rmSync(join(folder, `media.db${suffix}`));
      let asked = 0;
      index.use(() => {
        if (++asked === 1) throw unread();
      });
      expect(asked).toBe(2);
      expect(kept(await cache.obtain(wanted("/a"), never)).found).toBe(false);
    },
  );
});
