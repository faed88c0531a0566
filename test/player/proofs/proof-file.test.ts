import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { ProofRecorder } from "../../../src/player/proofs/proof-recorder.ts";
import { proofMigrations } from "../../../src/player/proofs/proof-records.ts";
import type { ProofStore } from "../../../src/player/proofs/proof-store.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { type Migration, openDatabase, StoreUnusable } from "../../../src/player/stores/database.ts";
import { HAS_SMALL_DISKS, smallDisk } from "../../support/machine/small-disk.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { endedPlayout } from "../record/ended.ts";
import { proofFileIn, proofOf, proofStoreIn, SECOND } from "./proofs.ts";

const MIB = 1024 * 1024;
const none: readonly number[] = [];

const clock = new ManualClock();
const reading = new ServiceClock(clock).read();
const oweMany = (store: ProofStore, count: number, from = 0) => {
  for (let number = from; number < from + count; number++) store.owe(proofOf(`p${number}`, 0), reading);
};
const owedIn = (store: ProofStore) => store.due(reading, "never", 1e6, none).map(({ playoutId }) => playoutId);

/** Writes nonsense over some of a file's 4 KiB pages, the first being 0. */
function spoil(path: string, pages: readonly number[]): void {
  const file = openSync(path, "r+");
  for (const page of pages) writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, page * 4_096);
  closeSync(file);
}

describe.skipIf(!HAS_SMALL_DISKS)("the proof store on a full disk", () => {
  it("says what it cannot keep, keeps what it has, and goes on when there is room again", () => {
    const disk = smallDisk(2 * MIB);
    const store = proofStoreIn(disk.path);
    oweMany(store, 3);
    const free = disk.fill();
    let owing = store.owe(proofOf("x0", 0), reading);
    for (let count = 1; owing.kind !== "unwritable"; count++) owing = store.owe(proofOf(`x${count}`, 0), reading);
    expect(owing.code).toMatch(/^SQLITE_(FULL|IOERR)/);
    expect(owedIn(store)).toEqual(expect.arrayContaining(["p0", "p1", "p2"]));
    free();
    expect(store.owe(proofOf("after", 0), reading)).toEqual({ kind: "owed" });
    store.close();
  });

  it("asks for room in the order it was told to, and only when it must, and keeps the proof", () => {
    const disk = smallDisk(4 * MIB);
    const asked: string[] = [];
    let free = () => {};
    const onDiskFull = [
      () => {
        asked.push("media");
        return false;
      },
      () => {
        asked.push("ballast");
        free();
        return true;
      },
    ];
    const store = proofStoreIn(disk.path, "run-1", { onDiskFull });
    oweMany(store, 3);
    expect(asked).toEqual([]);
    free = disk.fill();
    oweMany(store, 50, 3);
    expect(asked).toEqual(["media", "ballast"]);
    expect(owedIn(store)).toHaveLength(53);
    store.close();
  });

  it("asks for room where SQLite can only tell that a write failed, as beyond a user's quota, and the disk is full", () => {
    const disk = smallDisk(4 * MIB);
    let asked = 0;
    const onDiskFull = [() => ++asked > 0];
    const file = proofFileIn(disk.path, { onDiskFull });
    const failing = (code: string) => {
      let calls = 0;
      return file.use(() => {
        if (++calls > 1) return "taken";
        throw Object.assign(new Error("a write failed"), { code });
      });
    };
    expect(() => failing("SQLITE_IOERR_WRITE")).toThrow("a write failed");
    expect(asked).toBe(0);
    const free = disk.fill();
    expect(failing("SQLITE_IOERR_WRITE")).toBe("taken");
    expect(asked).toBe(1);
    expect(() => failing("SQLITE_IOERR_FSYNC")).toThrow("a write failed");
    expect(asked).toBe(1);
    free();
    expect(readdirSync(disk.path).filter((name) => !name.startsWith("proofs.db"))).toEqual([]);
    file.close();
  });

  it("holds in memory what does not fit on the disk, and writes it down when there is some", async () => {
    const disk = smallDisk(2 * MIB);
    const time = new ManualClock();
    const store = proofStoreIn(disk.path);
    const recorder = new ProofRecorder({
      store,
      clock: time,
      serviceClock: new ServiceClock(time),
      log: pino({ level: "silent" }),
      records: { add: () => {} },
      onOwed: () => {},
    });
    const free = disk.fill();
    for (let number = 0; recorder.waiting < 3; number++) recorder.owe(endedPlayout(`${number}`, time.now()));
    const owed = store.counts().owed;
    free();
    await time.advance(10 * SECOND);
    expect(recorder.waiting).toBe(0);
    expect(store.counts().owed).toBe(owed);
    store.close();
  });

  it("goes on after the disk was read-only for a while", () => {
    const disk = smallDisk(2 * MIB);
    const store = proofStoreIn(disk.path);
    oweMany(store, 3);
    store.close();
    disk.readOnly(true);
    expect(() => proofStoreIn(disk.path)).toThrow(StoreUnusable);
    disk.readOnly(false);
    const again = proofStoreIn(disk.path);
    expect(owedIn(again)).toEqual(["p0", "p1", "p2"]);
    again.close();
  });

  it("says at once that the disk is read-only after a crash too, with its log still there", () => {
    const disk = smallDisk(2 * MIB);
    const left = temporaryFolder();
    const store = proofStoreIn(left);
    oweMany(store, 3);
    cpSync(left, disk.path, { recursive: true });
    store.close();
    disk.readOnly(true);
    expect(() => proofStoreIn(disk.path)).toThrow(/SQLITE_READONLY/);
    disk.readOnly(false);
    const again = proofStoreIn(disk.path);
    expect(owedIn(again)).toEqual(["p0", "p1", "p2"]);
    again.close();
  });
});

describe("the proof store beside another writer", () => {
  it("does not wait long for it, says so, and keeps the proof the next time", () => {
    const folder = temporaryFolder();
    const store = proofStoreIn(folder);
    const other = openDatabase({ path: join(folder, "proofs.db"), durability: "full", migrations: proofMigrations });
    if (other.kind !== "open") throw new Error(other.kind);
    other.database.exec("begin immediate");
    expect(store.owe(proofOf("a", 0), reading)).toEqual({ kind: "unwritable", code: "SQLITE_BUSY" });
    other.database.exec("rollback");
    other.database.close();
    expect(store.owe(proofOf("a", 0), reading)).toEqual({ kind: "owed" });
    expect(store.counts().owed).toBe(1);
    store.close();
  });
});

describe("the proof store whose file breaks while it is open", () => {
  /** More than SQLite keeps in memory: so it comes upon what is broken on the disk. */
  const MANY = 12_000;

  function broken(pagesOf: (count: number) => readonly number[]) {
    const folder = temporaryFolder();
    const path = join(folder, "proofs.db");
    const file = proofFileIn(folder);
    file.use(({ inOneCommit, insert }) =>
      inOneCommit(() => {
        for (let number = 0; number < MANY; number++) insert.run(rowOf(number));
      }),
    );
    file.close();
    const store = proofStoreIn(folder, "run-2");
    spoil(path, pagesOf(Math.floor(statSync(path).size / 4_096)));
    return { folder, store };
  }

  it("sets it aside, goes on in a new one, and owes what could still be read", () => {
    const { folder, store } = broken((count) => [Math.floor(count / 2)]);
    // Reads through all there is, so that the broken page is come upon, whichever table or index it belongs to.
    for (let number = 0; number < 300; number++) store.owe(proofOf(`new-${number}`, 0), reading);
    store.counts();
    store.due(reading, "never", 1e6, none);
    store.retryAll();
    expect(readdirSync(join(folder, "quarantine"))).toContain("proofs.db.1");
    const owed = owedIn(store);
    expect(owed.length).toBeGreaterThan(MANY);
    expect(owed).toEqual(expect.arrayContaining(["new-0", "new-299", "p0", `p${MANY - 1}`]));
    expect(new Set(owed).size).toBe(owed.length);
    store.close();
  });

  it("takes over at the next start what it was cut off from taking over, and nothing twice", () => {
    const { folder, store } = broken((count) => [Math.floor(count / 2)]);
    store.close();
    // As if the power had failed between the two: set aside, and a new file created that owes something of its own.
    mkdirSync(join(folder, "quarantine"), { recursive: true });
    renameSync(join(folder, "proofs.db"), join(folder, "quarantine", "proofs.db.1"));
    for (let start = 1; start <= 2; start++) {
      const next = proofStoreIn(folder, `run-${start + 2}`);
      if (start === 1) expect(next.owe(proofOf("new", 0), reading)).toEqual({ kind: "owed" });
      const owed = owedIn(next);
      expect(owed.length).toBeGreaterThan(MANY - 100);
      expect(owed).toEqual(expect.arrayContaining(["new", "p0", `p${MANY - 1}`]));
      expect(new Set(owed).size).toBe(owed.length);
      next.close();
    }
  });

  it("keeps what is owed from then on through a restart", () => {
    const { folder, store } = broken((count) => Array.from({ length: count - 1 }, (_, index) => index + 1));
    expect(store.owe(proofOf("after", 0), reading)).toEqual({ kind: "owed" });
    store.close();
    const again = proofStoreIn(folder, "run-3");
    expect(owedIn(again)).toContain("after");
    again.close();
  });

  it("does not take another proof for the one whose id it has", () => {
    const { store } = broken((count) => Array.from({ length: count - 1 }, (_, index) => index + 1));
    const [lost] = [{ id: 1, runId: "run-1", playoutId: "p0" }];
    store.owe(proofOf("new", 0), reading);
    const [proof] = store.due(reading, "never", 1, none);
    store.settle(
      [{ proof: { ...lost, id: proof?.id ?? 0 }, verdict: { kind: "delivered" }, answer: "accepted" }],
      reading,
    );
    expect(store.counts()).toMatchObject({ owed: 1, delivered: 0 });
    store.close();
  });
});

describe.skipIf(process.platform === "win32")("the proof store whose file is taken away while it is open", () => {
  it.each([
    ["the file", ["proofs.db"]],
    ["the file and those beside it", ["proofs.db", "proofs.db-wal", "proofs.db-shm"]],
  ])("creates another with all that is owed when it was %s", (_, names) => {
    const folder = temporaryFolder();
    const store = proofStoreIn(folder);
    oweMany(store, 3);
    for (const name of names) rmSync(join(folder, name));
    expect(store.owe(proofOf("after", 0), reading)).toEqual({ kind: "owed" });
    expect(owedIn(store).sort()).toEqual(["after", "p0", "p1", "p2"]);
    store.close();
    const again = proofStoreIn(folder, "run-2");
    expect(owedIn(again).sort()).toEqual(["after", "p0", "p1", "p2"]);
    again.close();
  });
});

describe.skipIf(process.platform === "win32")(
  "the proof store whose file is gone and cannot be replaced at once",
  () => {
    it("owes all that it owed when another file can be created at last", () => {
      const folder = temporaryFolder();
      const path = join(folder, "proofs.db");
      const store = proofStoreIn(folder);
      oweMany(store, 3);
      for (const name of ["", "-wal", "-shm"]) rmSync(path + name);
      mkdirSync(path);
      for (let time = 0; time < 2; time++) {
        expect(store.owe(proofOf("after", 0), reading)).toMatchObject({ kind: "unwritable" });
      }
      rmdirSync(path);
      expect(store.owe(proofOf("after", 0), reading)).toEqual({ kind: "owed" });
      expect(owedIn(store).sort()).toEqual(["after", "p0", "p1", "p2"]);
      store.close();
    });

    it.skipIf(!HAS_SMALL_DISKS)("owes all that it owed when the disk was too full to take it over at first", () => {
      const disk = smallDisk(8 * MIB);
      const store = proofStoreIn(disk.path);
      const many = Array.from({ length: 2_000 }, (_, number) => `p${number}`);
      oweMany(store, many.length);
      // Moved away and not removed: it goes on taking up its space.
      for (const name of ["", "-wal"]) renameSync(join(disk.path, `proofs.db${name}`), join(disk.path, `moved${name}`));
      rmSync(join(disk.path, "proofs.db-shm"));
      const free = disk.fill(200 * 1024);
      expect(store.owe(proofOf("after", 0), reading)).toMatchObject({ kind: "unwritable" });
      free();
      expect(store.owe(proofOf("after", 0), reading)).toEqual({ kind: "owed" });
      expect(new Set(owedIn(store))).toEqual(new Set([...many, "after"]));
      store.close();
    });
  },
);

describe("a store of another version", () => {
  it("is brought forward from the first schema with every proof in it", () => {
    const folder = temporaryFolder();
    const path = join(folder, "proofs.db");
    const first = openDatabase({ path, durability: "full", migrations: proofMigrations.slice(0, 1) });
    if (first.kind !== "open") throw new Error(first.kind);
    const insert = first.database.prepare(FIRST_SCHEMA_INSERT);
    for (const [id, state] of [
      ["a", "owed"],
      ["b", "delivered"],
    ]) {
      insert.run({ id, state, boot: clock.bootId });
    }
    first.database.close();
    const store = proofStoreIn(folder, "run-2");
    expect(store.counts()).toMatchObject({ owed: 1, delivered: 1 });
    expect(store.due(reading, "never", 10, none)).toMatchObject([{ playoutId: "a", pop: "https://pop.example/a" }]);
    store.close();
  });

  it("goes on in the file of a newer version that only added to it, and so does that version afterwards", () => {
    const folder = temporaryFolder();
    const newer = [...proofMigrations, { addition: "alter table proof add column witness text" }];
    owingWith(newer, folder, ["a"]);
    const store = proofStoreIn(folder);
    store.owe(proofOf("b", 0), reading);
    expect(store.counts()).toMatchObject({ owed: 2 });
    store.close();
    const again = openDatabase({ path: join(folder, "proofs.db"), durability: "full", migrations: newer });
    if (again.kind !== "open") throw new Error(again.kind);
    expect(again.database.prepare("select playout_id as id, witness from proof order by id").all()).toEqual([
      { id: "a", witness: null },
      { id: "b", witness: null },
    ]);
    again.database.close();
  });

  it("sets aside the file of a newer version that changed it, and takes over what is owed in it, not what is settled", () => {
    const folder = temporaryFolder();
    owingWith([...proofMigrations, REBUILT], folder, ["a", "b", "c"], "b");
    const store = proofStoreIn(folder);
    expect(store.counts()).toMatchObject({ owed: 2, delivered: 0 });
    const due = store.due(reading, "never", 10, none).map(({ playoutId }) => playoutId);
    expect(due.sort()).toEqual(["a", "c"]);
    store.close();
    expect(existsSync(join(folder, "quarantine", "proofs.db.1"))).toBe(true);
    const once = proofStoreIn(folder);
    expect(once.counts()).toMatchObject({ owed: 2 });
    once.close();
  });

  it("plays on where what is owed in a newer version's file cannot be told, and leaves it to that version", () => {
    const folder = temporaryFolder();
    owingWith([...proofMigrations, "alter table proof rename to debt"], folder, []);
    const store = proofStoreIn(folder);
    expect(store.counts()).toMatchObject({ owed: 0 });
    store.close();
    expect(existsSync(join(folder, "quarantine", "proofs.db.1.saved"))).toBe(false);
  });
});

/** As a later version may: another order of columns, and the old table's pages left in the file. */
const REBUILT = `
  create table rebuilt as select 'later' as since, * from proof;
  drop table proof;
  alter table rebuilt rename to proof`;

/** A newer version's player that owed these and was told of one that it is delivered. */
function owingWith(migrations: readonly Migration[], folder: string, ids: readonly string[], delivered?: string): void {
  proofStoreIn(folder).close();
  const before = proofStoreIn(folder);
  for (const id of ids) before.owe(proofOf(id, 0), reading);
  before.close();
  const opening = openDatabase({ path: join(folder, "proofs.db"), durability: "full", migrations });
  if (opening.kind !== "open") throw new Error(opening.kind);
  if (delivered !== undefined) {
    opening.database.prepare("update proof set state = 'delivered' where playout_id = ?").run(delivered);
  }
  opening.database.close();
}

const FIRST_SCHEMA_INSERT = `
  insert into proof (run_id, playout_id, screen_id, request_id, item_id, kind, pop, shown_wall, requested_wall,
    requested_monotonic, requested_boot, service_offset, timeline, due, deadline, state)
  values ('old', @id, 's', 'r', 'i', 'ad', 'https://pop.example/' || @id, 0, 0, 0, @boot, 0, @boot, 0, 3600000, @state)`;

function rowOf(number: number) {
  return {
    ...proofOf(`p${number}`, 0),
    ...{
      id: null,
      runId: "run-1",
      shownWall: 0,
      requestedWall: 0,
      serviceOffset: 0,
      bootId: clock.bootId,
      deadline: 3_600_000,
    },
  };
}
