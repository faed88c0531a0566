import { copyFileSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it, onTestFinished } from "vitest";
import { needsRecording } from "../../../src/core/media/page-lead.ts";
import type { IndexedMedia } from "../../../src/player/media/media.ts";
import { type IndexConnection, IndexFile, MediaIndex } from "../../../src/player/media/media-index.ts";
import { mediaIndexMigrations } from "../../../src/player/media/media-schema.ts";
import { AbsenceBook, PageLoadBook } from "../../../src/player/media/page-books.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { openMediaCache } from "../../support/player/media-origin.ts";
import { plannedFile } from "../../support/player/planned-file.ts";

const media = (digest: string): IndexedMedia => ({
  ...{ digest, sizeBytes: 1, contentType: "image/png", etag: null, lastModified: null },
  ...{ freshUntil: 0, headers: {}, finalUrl: null },
});

const signed = (signature: number) => `https://ads.example/a.png?signature=${signature}`;

describe("the media index", () => {
  it("keeps the 1,000 URLs that the same bytes came from last: each spot may sign them anew (F15)", async () => {
    const { index: file, clock } = await openMediaCache();
    const index = new MediaIndex(file);
    index.record("https://ads.example/b.png", media("other"), clock.wall());
    for (let signature = 0; signature < 1_002; signature++)
      index.record(signed(signature), media("same"), clock.wall());
    const found = [0, 1, 2, 1_001].map((signature) => index.find(signed(signature)) !== null);
    expect(found).toEqual([false, false, true, true]);
    expect(index.find("https://ads.example/b.png")).not.toBeNull();
  });

  it("forgets few at a time of many that it kept before", async () => {
    const { index: file, clock } = await openMediaCache();
    const index = new MediaIndex(file);
    index.record(signed(0), media("same"), clock.wall());
    file.use((db) =>
      db
        .prepare(`
        with recursive number (n) as (select 1 union all select n + 1 from number where n < 1500)
        insert into source (key, digest, content_type) select 'https://ads.example/' || n, 'same', '' from number`)
        .run(),
    );
    const count = () => file.use((db) => db.prepare<[], number>("select count(*) from source").pluck().get());
    const counts = [0, 1, 2, 3, 4, 5, 6, 7].map((signature) => {
      index.record(signed(signature + 1), media("same"), clock.wall());
      return count();
    });
    expect(counts.slice(0, 3)).toEqual([1402, 1303, 1204]);
    expect(counts.at(-1)).toBe(1_000);
  });

  it("has an end on the disk, beyond which it goes on as on a disk that is full", async () => {
    const { index: file, clock } = await openMediaCache();
    const index = new MediaIndex(file);
    const ask = (pragma: string) => file.use((db) => Number(db.prepare(`pragma ${pragma}`).pluck().get()));
    expect(ask("max_page_count") * ask("page_size")).toBe(1024 ** 3);
    ask(`max_page_count = ${ask("page_count") + 20}`);
    const long = (number: number) => signed(number) + "x".repeat(32 * 1024);
    const record = (number: number) => index.record(long(number), media(`${number}`), clock.wall());
    const full = expect.objectContaining({ code: "SQLITE_FULL" });
    expect(() => Array.from({ length: 20 }, (_, number) => record(number))).toThrow(full);
    expect(index.find(long(0))?.digest).toBe("0");
    index.forget(["0"]);
    record(20);
    expect(index.find(long(20))?.digest).toBe("20");
  });

  // Windows keeps the files that a program has opened.
  it.skipIf(process.platform === "win32")(
    "is made anew later where that cannot be done when it breaks, and costs nothing but what it knew meanwhile",
    () => {
      const path = join(temporaryFolder(), "media.db");
      const file = new IndexFile(path, mediaIndexMigrations, pino({ level: "silent" }));
      onTestFinished(() => file.close());
      const index = new MediaIndex(file);
      index.record(signed(0), media("same"), 1);
      let emptied = 0;
      index.onEmptied(() => emptied++);
      // A folder in its place stands for a disk that lets nothing be made.
      for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
      mkdirSync(path);
      const breaking = () => {
        throw Object.assign(new Error("a page is broken"), { code: "SQLITE_CORRUPT" });
      };
      for (let tries = 0; tries < 3; tries++) {
        expect(() => file.writeIfTaken(tries === 0 ? breaking : (db) => db.prepare("select 1").get())).not.toThrow();
        expect(() => index.find(signed(0))).toThrow(expect.objectContaining({ code: expect.any(String) }));
      }
      rmSync(path, { recursive: true });
      expect(index.find(signed(0))).toBeNull();
      index.record(signed(1), media("other"), 2);
      expect([index.find(signed(1))?.digest, index.size().files, emptied]).toEqual(["other", 1, 1]);
    },
  );

  it.skipIf(process.platform === "win32")("is opened anew where the disk that it was on went and is back", () => {
    const path = join(temporaryFolder(), "media.db");
    const file = new IndexFile(path, mediaIndexMigrations, pino({ level: "silent" }));
    onTestFinished(() => file.close());
    const index = new MediaIndex(file);
    let emptied = 0;
    index.onEmptied(() => emptied++);
    index.record(signed(1), media("a"), 0);
    const fails = () => Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_READ" });
    const asked = (): number => {
      let times = 0;
      file.use(() => {
        if (++times === 1) throw fails();
      });
      return times;
    };

    // While it is where it was, or nothing can be there, nothing else is there to be read.
    expect(asked).toThrow("disk I/O error");
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix);
    expect(asked()).toBe(2);
    expect(index.find(signed(1))).toBeNull();
    index.record(signed(2), media("b"), 0);
    expect([index.find(signed(2)) !== null, index.size().files]).toEqual([true, 1]);
    expect(emptied).toBe(1);

    // Another that is not empty: what it knows is not removed.
    renameSync(path, `${path}.back`);
    renameSync(`${path}-wal`, `${path}.back-wal`);
    rmSync(`${path}-shm`);
    copyFileSync(`${path}.back`, path);
    copyFileSync(`${path}.back-wal`, `${path}-wal`);
    expect(asked()).toBe(2);
    expect([index.size().files, emptied]).toEqual([1, 1]);
  });

  it("has all asked for anew that servers gave, or refused, when they were not asked as by a browser", () => {
    const path = join(temporaryFolder(), "media.db");
    const clock = new ManualClock();
    const page = { url: "https://ads.example/ad.html", md5: null };
    const opened = (steps: number) => {
      const file = new IndexFile(path, mediaIndexMigrations.slice(0, steps), pino({ level: "silent" }));
      onTestFinished(() => file.close());
      return { index: new MediaIndex(file), absences: new AbsenceBook(file), loads: new PageLoadBook(file, clock) };
    };
    const before = opened(7);
    before.index.record(page.url, { ...media("a"), etag: '"1"', freshUntil: clock.wall() }, clock.wall());
    before.absences.noteRefusal(`${page.url}/list`, { status: 401, askedAt: clock.wall(), response: null });
    before.absences.noteAbsence(page.url, "fonts.example", { count: 2, countedAt: clock.wall() });
    before.loads.record(page, "a", 300);
    const { index, absences, loads } = opened(8);
    expect(index.find(page.url)).toMatchObject({ digest: "a", etag: null, freshUntil: 0 });
    expect(absences.refusal(`${page.url}/list`)).toBeNull();
    expect(absences.absence(page.url, "fonts.example")).not.toBeNull();
    expect(needsRecording(loads.find(page), "a", clock.wall())).toBe(true);
    expect(loads.find(page)?.recordedMs).toBe(300);
  });

  it("keeps the player waiting for a tenth of a second at most while another process writes to it", async () => {
    const { index: file } = await openMediaCache();
    expect(file.use((db) => db.prepare<[], number>("pragma busy_timeout").pluck().get())).toBe(100);
  });

  it("reads through no table for one more download, however much is in it", () => {
    const file = plannedFile();
    const index = new MediaIndex(file);
    index.record(signed(0), media("a"), 1);
    index.record(signed(1), media("b"), 2);
    index.touch("a", 3);
    expect(index.size()).toEqual({ files: 2, bytes: 8_192 });
    expect(index.byUse((files) => [...files].map(({ digest }) => digest))).toEqual(["b", "a"]);
    index.forget(["a", "b"]);
    expect(file.throughAll()).toEqual([]);
  });
});

/** A media index's file that counts how often all its files are counted. */
class CountedFile extends IndexFile {
  counts = 0;

  override use<T>(act: (connection: IndexConnection) => T): T {
    return super.use(({ prepare, inOneCommit }) =>
      act({
        inOneCommit,
        prepare: (sql) => {
          if (sql.includes("count(*)")) this.counts++;
          return prepare(sql);
        },
      }),
    );
  }
}

describe("the size of the media index", () => {
  it("is counted once, and known from then on whatever comes and goes", () => {
    const file = new CountedFile(join(temporaryFolder(), "media.db"), mediaIndexMigrations, pino({ level: "silent" }));
    onTestFinished(() => file.close());
    const index = new MediaIndex(file);
    const sizes = [index.size()];
    for (const digest of ["a", "b", "a", "c"]) index.record(signed(0), { ...media(digest), sizeBytes: 5_000 }, 1);
    sizes.push(index.size());
    index.forget(["b", "unknown"]);
    sizes.push(index.size());
    const refuse = "create trigger refuse before insert on source begin select raise(abort, 'no'); end";
    file.use((db) => db.prepare(refuse).run());
    expect(() => index.record(signed(1), media("d"), 1)).toThrow("no");
    sizes.push(index.size());
    expect(sizes.map(({ files, bytes }) => [files, bytes / 8_192])).toEqual([
      [0, 0],
      [3, 3],
      [2, 2],
      [2, 2],
    ]);
    expect(file.counts).toBe(1);
    expect(index.size()).toEqual(new MediaIndex(file).size());
  });
});
