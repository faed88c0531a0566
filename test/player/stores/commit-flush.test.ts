import { closeSync, fstatSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { IndexFile } from "../../../src/player/media/media-index.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { CommitFlush, LogFlush } from "../../../src/player/stores/commit-flush.ts";
import { openDatabase } from "../../../src/player/stores/database.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { proofOf, proofStoreIn } from "../proofs/proofs.ts";
import { endedPlayout } from "../record/ended.ts";

/** With so many in its log SQLite brings them into the database itself (sqlite.org/wal.html, 2.2). */
const CHECKPOINTED_PAGES = 1_000;
/** A page, and what goes before it in the log. */
const LOGGED_PAGE_BYTES = 4_096 + 24;

/** Where a log says how often it was begun anew (sqlite.org/fileformat2.html, 4.1). */
const LOG_NUMBER_AT = 12;

type Answer = (error: NodeJS.ErrnoException | null) => void;

function someDatabase() {
  const path = join(temporaryFolder(), "some.db");
  const opening = openDatabase({ path, durability: "normal", migrations: ["create table t (a)"] });
  if (opening.kind !== "open") throw new Error(opening.kind);
  return { path, database: opening.database };
}

/** How often a database's log was begun anew. */
function logNumber(path: string): number {
  return readFileSync(`${path}-wal`).readUInt32BE(LOG_NUMBER_AT);
}

/** A flush of a real log on a disk that answers when it is told to. */
function flushing(withinMs?: number) {
  const { path } = someDatabase();
  const answers: Answer[] = [];
  const told: (string | null)[] = [];
  const flush = LogFlush.of(
    path,
    (code) => told.push(code),
    (_file, onEnd) => answers.push(onEnd),
    withinMs,
  );
  if (flush === null) throw new Error("no log");
  const done: string[] = [];
  return {
    flush,
    told,
    done,
    when: (name: string) => flush.whenDone((tookAll) => done.push(tookAll ? name : `${name}, untaken`)),
    /** How many times the disk was asked. */
    asked: () => answers.length,
    answer: (error: NodeJS.ErrnoException | null = null) => answers.at(-1)?.(error),
  };
}

const broken = Object.assign(new Error("broken"), { code: "EIO" });

describe("the flush of a database's log", () => {
  it("is done at once where nothing was committed", () => {
    const { when, done, asked } = flushing();
    when("nothing");
    expect([done, asked()]).toEqual([["nothing"], 0]);
  });

  it("is done for a commit when the disk says so, and not before", () => {
    const { flush, when, done, answer } = flushing();
    flush.begin();
    when("first");
    expect(done).toEqual([]);
    answer();
    expect(done).toEqual(["first"]);
  });

  it("covers what was committed before it began: later commits share the next one", () => {
    const { flush, when, done, asked, answer } = flushing();
    flush.begin();
    when("first");
    flush.begin();
    when("second");
    flush.begin();
    when("third");
    expect(asked()).toBe(1);
    answer();
    expect([done, asked()]).toEqual([["first"], 2]);
    answer();
    expect([done, asked()]).toEqual([["first", "second", "third"], 2]);
  });

  it("holds nothing back for a disk that fails, of which it tells when that begins and when it ends", () => {
    const { flush, when, done, told, answer } = flushing();
    for (const [name, error] of [
      ["first", broken],
      ["second", broken],
      ["third", null],
    ] as const) {
      flush.begin();
      when(name);
      answer(error);
    }
    expect([done, told]).toEqual([
      ["first, untaken", "second, untaken", "third"],
      ["EIO", null],
    ]);
  });

  it("holds nothing back for a disk that does not answer, until it does", async () => {
    const { flush, when, done, told, asked, answer } = flushing(20);
    flush.begin();
    when("first");
    flush.begin();
    when("second");
    await expect.poll(() => done).toEqual(["first, untaken", "second, untaken"]);
    flush.begin();
    when("third");
    expect([done.at(-1), told, asked()]).toEqual(["third, untaken", ["ETIMEDOUT"], 1]);
    answer();
    when("fourth");
    expect([done.at(-1), told, asked()]).toEqual(["third, untaken", ["ETIMEDOUT", null], 2]);
    answer();
    expect(done.at(-1)).toBe("fourth");
  });

  it("that is closed waits for the disk, asks no more of it, and leaves nobody waiting", () => {
    const { flush, when, done, asked, answer } = flushing();
    flush.begin();
    when("first");
    flush.begin();
    when("second");
    flush.close();
    answer();
    expect([done, asked()]).toEqual([["first", "second"], 1]);
  });

  it("is closed once, though a disk that is gone refuses that: the next file that is opened has its number", () => {
    const { path, database } = someDatabase();
    let number = -1;
    const flush = LogFlush.of(
      path,
      () => {},
      (file, onEnd) => {
        number = file;
        onEnd(null);
      },
    );
    flush?.begin();
    closeSync(number);
    flush?.close();
    const next = openSync(path, "r");
    flush?.close();
    expect(fstatSync(next).isFile()).toBe(true);
    closeSync(next);
    database.close();
  });

  it("is none where the database has no log", () => {
    expect(LogFlush.of(join(temporaryFolder(), "none.db"), () => {})).toBeNull();
  });
});

describe("commits on a disk that takes none of them", () => {
  it("leave the log as it is: SQLite would wait for that disk, too", () => {
    const { path, database } = someDatabase();
    const before = logNumber(path);
    const flush = CommitFlush.of(
      database,
      path,
      { changesAFlush: 1, flushesACheckpoint: 100 },
      () => {},
      (_file, onEnd) => onEnd(broken),
    );
    for (let number = 0; number < 200; number++) {
      database.exec("insert into t values (1)");
      flush?.begin();
    }
    expect(logNumber(path)).toBe(before);
    flush?.close();
    database.close();
  });
});

describe("what is known of media", () => {
  it("is brought into its database just when the disk has answered, and not while an item waits", async () => {
    const path = join(temporaryFolder(), "media.db");
    const file = new IndexFile(path, ["create table t (a)"], pino({ level: "silent" }));
    const before = logNumber(path);
    const change = () => file.use((db) => db.prepare("insert into t values (1)").run());
    for (let number = 0; number < 300; number++) change();
    expect(logNumber(path)).toBe(before);
    await expect.poll(() => logNumber(path)).toBe(before + 1);
    for (let round = 2; round < 6; round++) {
      for (let number = 0; number < 300; number++) change();
      await expect.poll(() => logNumber(path)).toBe(before + round);
    }
    expect(statSync(`${path}-wal`).size).toBeLessThan(CHECKPOINTED_PAGES * LOGGED_PAGE_BYTES);
    file.close();
  });
});

describe("proofs that are flushed in a thread", () => {
  const reading = new ServiceClock(new ManualClock()).read();

  it("are on the disk a moment after they are committed; what is only read need not be", async () => {
    const store = proofStoreIn(temporaryFolder(), "run-1", { flushesInThread: true });
    let flushed = 0;
    const when = () => store.whenFlushed(() => flushed++);
    when();
    expect(flushed).toBe(1);
    store.owe(proofOf("a", 0), reading);
    store.counts();
    when();
    expect(flushed).toBe(1);
    await expect.poll(() => flushed).toBe(2);
    store.counts();
    when();
    expect(flushed).toBe(3);
    store.close();
  });

  it("leave no log so long that SQLite would wait for the disk at a commit", async () => {
    const folder = temporaryFolder();
    const store = proofStoreIn(folder, "run-1", { flushesInThread: true });
    for (let number = 0; number < 400; number++) {
      store.owe(proofOf(`p${number}`, 0), reading, [], endedPlayout(`p${number}`, 0));
      await new Promise<void>((resolve) => store.whenFlushed(resolve));
    }
    expect(statSync(join(folder, "proofs.db-wal")).size).toBeLessThan(CHECKPOINTED_PAGES * LOGGED_PAGE_BYTES);
    store.close();
  });

  it("begin their log anew just when the disk has answered, and not at the next item's end", async () => {
    const folder = temporaryFolder();
    const store = proofStoreIn(folder, "run-1", { flushesInThread: true });
    const anew = () => logNumber(join(folder, "proofs.db"));
    const before: number[] = [];
    const after: number[] = [];
    for (let number = 0; number < 100; number++) {
      store.owe(proofOf(`p${number}`, 0), reading);
      before.push(anew());
      await new Promise<void>((resolve) => store.whenFlushed(resolve));
      after.push(anew());
    }
    expect(new Set(before).size).toBe(1);
    expect(after.at(-1)).toBe((before[0] ?? 0) + 1);
    store.close();
  });
});
