import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { btrfsDisk, HAS_BTRFS } from "../../support/machine/small-disk.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { proofOf, proofStoreIn } from "./proofs.ts";

const PAGE = 4_096;
/** How many are in the file itself, and how many more only in its write-ahead log. */
const FOLDED = 40;
const LOGGED = 25;

const reading = new ServiceClock(new ManualClock()).read();
const idOf = (number: number) => `p${String(number).padStart(3, "0")}`;

/** The files of a player that was cut off: the database, its log, and how long the log was after each commit. */
interface Wreck {
  readonly database: Buffer;
  readonly log: Buffer;
  readonly logged: readonly { readonly id: string; readonly end: number }[];
}

let wreck: Wreck;

beforeEach(() => {
  wreck ??= makeWreck();
});

function makeWreck(): Wreck {
  const folder = temporaryFolder();
  const path = join(folder, "proofs.db");
  const before = proofStoreIn(folder);
  for (let number = 0; number < FOLDED; number++) before.owe(proofOf(idOf(number), 0), reading);
  before.close();
  const store = proofStoreIn(folder, "run-2");
  const logged = Array.from({ length: LOGGED }, (_, index) => {
    const id = idOf(FOLDED + index);
    store.owe(proofOf(id, 0), reading);
    return { id, end: statSync(`${path}-wal`).size };
  });
  const made = { database: readFileSync(path), log: readFileSync(`${path}-wal`), logged };
  store.close();
  return made;
}

/** What is owed by a player that starts on what is left of the files. */
function owedAfter(database: Buffer, log: Buffer): readonly string[] {
  return owedIn(put(temporaryFolder(), database, log));
}

function put(folder: string, database: Buffer, log: Buffer): string {
  writeFileSync(join(folder, "proofs.db"), database);
  writeFileSync(join(folder, "proofs.db-wal"), log);
  return folder;
}

function owedIn(folder: string): readonly string[] {
  const store = proofStoreIn(folder, "run-3");
  const owed = store.due(reading, "never", 1_000, []);
  for (const { playoutId, pop } of owed) expect(pop).toBe(`https://pop.example/${playoutId}`);
  expect(store.owe(proofOf("next", 0), reading)).toEqual({ kind: "owed" });
  store.close();
  return owed.map(({ playoutId }) => playoutId).sort();
}

/** Every 4 KiB boundary of a file, and a few places that are none. */
function cuts({ length }: Buffer): readonly number[] {
  const boundaries = Array.from({ length: Math.ceil(length / PAGE) + 1 }, (_, index) => Math.min(index * PAGE, length));
  return [...boundaries, 1, 24, 99, 100, 2_049, PAGE + 1, Math.floor(length / 2) + 7, length - 1];
}

describe("the database of proofs, cut off by a power cut", () => {
  it("owes all that was committed when nothing is missing", () => {
    const all = Array.from({ length: FOLDED + LOGGED }, (_, number) => idOf(number));
    expect(owedAfter(wreck.database, wreck.log)).toEqual(all);
  });

  it("owes exactly what was committed before the place where its log is cut", () => {
    const folded = Array.from({ length: FOLDED }, (_, number) => idOf(number));
    for (const cut of cuts(wreck.log)) {
      const committed = wreck.logged.filter(({ end }) => end <= cut).map(({ id }) => id);
      expect(owedAfter(wreck.database, wreck.log.subarray(0, cut))).toEqual([...folded, ...committed]);
    }
  });

  it("owes what is left in its pages and in its log wherever the file itself is cut", () => {
    for (const cut of cuts(wreck.database)) {
      const owed = owedAfter(wreck.database.subarray(0, cut), wreck.log);
      expect(owed).toEqual(expect.arrayContaining(wholeRows(wreck.database, cut)));
      expect(owed).toEqual(expect.arrayContaining(wreck.logged.map(({ id }) => id)));
    }
  });

  it("owes a proof of a spot that came without a request id, too", () => {
    const folder = temporaryFolder();
    const path = join(folder, "proofs.db");
    const store = proofStoreIn(folder);
    store.owe(proofOf("unnamed", 0, { requestId: "" }), reading);
    store.close();
    const headless = Buffer.from(readFileSync(path)).fill(0xff, 0, 16);
    expect(owedAfter(headless, Buffer.alloc(0))).toEqual(["unnamed"]);
  });

  it("begins anew, without a word, when both are cut together", () => {
    for (const cut of cuts(wreck.database)) {
      const owed = owedAfter(wreck.database.subarray(0, cut), wreck.log.subarray(0, cut));
      expect(owed).toEqual(expect.arrayContaining(wholeRows(wreck.database, cut)));
    }
  });

  it("owes what is left when its first page is gone, log or none", () => {
    const headless = Buffer.concat([Buffer.alloc(PAGE, 0xa5), wreck.database.subarray(PAGE)]);
    expect(owedAfter(headless, Buffer.alloc(0))).toHaveLength(FOLDED);
    expect(owedAfter(headless, wreck.log)).toHaveLength(FOLDED + LOGGED);
  });

  it("owes what is left around any one page of nonsense", () => {
    const pages = wreck.database.length / PAGE;
    for (let page = 1; page < pages; page++) {
      const spoilt = Buffer.from(wreck.database);
      spoilt.fill(0xa5, page * PAGE, (page + 1) * PAGE);
      const elsewhere = wholeRows(wreck.database, spoilt.length).filter(
        (id) => Math.floor(placeOf(id, wreck.database) / PAGE) !== page,
      );
      const owed = owedAfter(spoilt, Buffer.alloc(0));
      expect(owed).toEqual(expect.arrayContaining(elsewhere));
    }
  });

  it("owes what is in its log when the file itself is gone, and takes it over once", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "proofs.db-wal"), wreck.log);
    const logged = wreck.logged.map(({ id }) => id);
    for (const start of [1, 2]) {
      const store = proofStoreIn(folder, `run-${start + 2}`);
      const owed = store.due(reading, "never", 1_000, []).map(({ playoutId }) => playoutId);
      expect(owed).toEqual(expect.arrayContaining(logged));
      expect(new Set(owed).size).toBe(owed.length);
      store.close();
    }
  });

  it("keeps apart two files in a row of which only the log was left", () => {
    const folder = temporaryFolder();
    for (let loss = 0; loss < 2; loss++) {
      for (const name of ["proofs.db", "proofs.db-shm"]) rmSync(join(folder, name), { force: true });
      writeFileSync(join(folder, "proofs.db-wal"), wreck.log);
      proofStoreIn(folder, `run-${loss + 3}`).close();
    }
    const kept = readdirSync(join(folder, "quarantine"));
    expect(kept).toEqual(expect.arrayContaining(["proofs.db.1-wal", "proofs.db.2-wal"]));
  });
});

describe.skipIf(!HAS_BTRFS)("the database of proofs, on a disk that gives back no more of it", () => {
  it.each([
    ["its first page", 0],
    ["a page of its rows", 1],
  ])("owes what is left when that is %s", (_, part) => {
    const disk = btrfsDisk();
    put(disk.path, wreck.database, Buffer.alloc(0));
    const page = part === 0 ? 0 : Math.floor(placeOf(idOf(0), wreck.database) / PAGE);
    disk.wear(join(disk.path, "proofs.db"), page * PAGE);
    expect(() => readFileSync(join(disk.path, "proofs.db"))).toThrow("EIO");
    const readable = Array.from({ length: FOLDED }, (_, number) => idOf(number)).filter(
      (id) => Math.floor(placeOf(id, wreck.database) / PAGE) !== page,
    );
    expect(owedIn(disk.path)).toEqual(expect.arrayContaining(readable));
  });

  it("owes what stands in its log before the place that is gone", () => {
    const disk = btrfsDisk();
    put(disk.path, wreck.database, wreck.log);
    const gone = Math.floor(wreck.log.length / 2 / PAGE) * PAGE;
    disk.wear(join(disk.path, "proofs.db-wal"), gone);
    const before = wreck.logged.filter(({ end }) => end <= gone).map(({ id }) => id);
    expect(before.length).toBeGreaterThan(0);
    expect(owedIn(disk.path)).toEqual(expect.arrayContaining(before));
  });
});

/** Where a proof's row is: only the table has its URL, and a page that was split may hold an older copy further up. */
function placeOf(id: string, database: Buffer): number {
  return database.lastIndexOf(`https://pop.example/${id}`);
}

/** The proofs whose rows lie in whole pages before a cut. */
function wholeRows(database: Buffer, cut: number): string[] {
  const wholeUntil = Math.floor(cut / PAGE) * PAGE;
  return Array.from({ length: FOLDED }, (_, number) => idOf(number)).filter((id) => {
    const at = placeOf(id, database);
    return at >= 0 && at < wholeUntil;
  });
}
