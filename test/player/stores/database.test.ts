import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  bindingFlaw,
  type Database,
  type Migration,
  openDatabase,
  remedyFor,
} from "../../../src/player/stores/database.ts";
import { MOST_SET_ASIDE } from "../../../src/player/stores/set-aside.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const first = "create table word (word text primary key) strict";
const second = "alter table word add column size integer";

function open(path: string, migrations: readonly Migration[] = [first], durability: "full" | "normal" = "full") {
  return openDatabase({ path, durability, migrations });
}

function opened(path: string, migrations?: readonly Migration[]): Database {
  const opening = open(path, migrations);
  if (opening.kind !== "open") throw new Error(opening.kind);
  return opening.database;
}

function overwrite(path: string, offset: number, bytes: Buffer): void {
  const file = openSync(path, "r+");
  writeSync(file, bytes, 0, bytes.length, offset);
  closeSync(file);
}

describe("the binding of SQLite", () => {
  it("is refused where loading it would take the process down, and says what to do", () => {
    expect(bindingFlaw(9, false)).toContain("build better-sqlite3 for it");
    expect([bindingFlaw(9, true), bindingFlaw(10, false)]).toEqual([null, null]);
  });
});

describe("opening a database", () => {
  it("makes folder, file and schema", () => {
    const database = opened(join(temporaryFolder(), "deep", "in", "a.db"), [first, second]);
    expect(database.prepare("select word, size from word").all()).toEqual([]);
    database.close();
  });

  it("writes ahead, and syncs each commit where a power cut must not undo it", () => {
    const folder = temporaryFolder();
    const pragmas = (["full", "normal"] as const).map((durability) => {
      const opening = open(join(folder, `${durability}.db`), [first], durability);
      if (opening.kind !== "open") throw new Error(opening.kind);
      const { database } = opening;
      const found = ["journal_mode", "synchronous", "busy_timeout"].map((name) =>
        database.pragma(name, { simple: true }),
      );
      database.close();
      return found;
    });
    expect(pragmas).toEqual([
      ["wal", 2, 5_000],
      ["wal", 1, 5_000],
    ]);
  });

  it("migrates an older schema and keeps what is in it", () => {
    const path = join(temporaryFolder(), "a.db");
    const old = opened(path);
    old.exec("insert into word values ('kept')");
    old.close();
    const database = opened(path, [first, second]);
    expect(database.prepare("select word, size from word").all()).toEqual([{ word: "kept", size: null }]);
    database.close();
  });

  it("leaves the schema as it was when a migration fails", () => {
    const path = join(temporaryFolder(), "a.db");
    opened(path).close();
    expect(open(path, [first, `${second}; create nonsense`])).toEqual({ kind: "unusable", code: "SQLITE_ERROR" });
    const database = opened(path);
    expect(database.pragma("table_info(word)")).toHaveLength(1);
    database.close();
  });

  it("refuses a newer schema and does not touch it", () => {
    const path = join(temporaryFolder(), "a.db");
    opened(path, [first, second]).close();
    const before = readFileSync(path);
    expect(open(path, [first])).toEqual({ kind: "newer", found: 2, known: 1 });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("is used by an older version where the newer one only added to it, and as the newer one by that again", () => {
    const path = join(temporaryFolder(), "a.db");
    const newer = [first, { addition: second }];
    opened(path, newer).close();
    const older = opened(path, [first]);
    older.exec("insert into word (word) values ('older')");
    older.close();
    const again = opened(path, newer);
    again.exec("insert into word values ('newer', 5)");
    expect(again.prepare("select word, size from word order by word").all()).toEqual([
      { word: "newer", size: 5 },
      { word: "older", size: null },
    ]);
    again.close();
  });

  it("is refused where anything newer than an addition was done to it, before or after", () => {
    const folder = temporaryFolder();
    const change = "alter table word rename to term";
    opened(join(folder, "a.db"), [first, { addition: second }, change]).close();
    opened(join(folder, "b.db"), [first, change, { addition: "create table more (id integer)" }]).close();
    expect(open(join(folder, "a.db"))).toEqual({ kind: "newer", found: 3, known: 1 });
    expect(open(join(folder, "b.db"))).toEqual({ kind: "newer", found: 3, known: 1 });
    opened(join(folder, "b.db"), [first, change]).close();
  });

  it("sets aside what is no database, with the files beside it, and begins anew", () => {
    const folder = temporaryFolder();
    const path = join(folder, "a.db");
    writeFileSync(path, "this is not a database, not even nearly\n".repeat(100));
    writeFileSync(`${path}-wal`, "log");
    const opening = open(path);
    expect(opening).toMatchObject({ kind: "open", setAside: join(folder, "quarantine", "a.db.1") });
    expect(readdirSync(join(folder, "quarantine")).sort()).toEqual(["a.db.1", "a.db.1-shm", "a.db.1-wal"]);
    expect(readFileSync(join(folder, "quarantine", "a.db.1"), "utf8")).toContain("not even nearly");
    if (opening.kind === "open") opening.database.close();
  });

  it("sets aside a database with a broken page", () => {
    const path = join(temporaryFolder(), "a.db");
    const old = opened(path);
    const insert = old.prepare("insert into word values (?)");
    old.transaction(() => {
      for (let count = 0; count < 2_000; count++) insert.run(`word number ${count}`);
    })();
    old.close();
    overwrite(path, 4_096, Buffer.alloc(4_096, 0xa5));
    const opening = open(path);
    if (opening.kind !== "open") throw new Error(opening.kind);
    expect(opening.setAside).not.toBeNull();
    expect(opening.database.prepare("select count(*) as count from word").get()).toEqual({ count: 0 });
    opening.database.close();
  });

  it("keeps only the last few of the files set aside", () => {
    const folder = temporaryFolder();
    const path = join(folder, "a.db");
    for (let count = 0; count < MOST_SET_ASIDE + 3; count++) {
      writeFileSync(path, "broken again and again and again");
      const opening = open(path);
      if (opening.kind === "open") opening.database.close();
    }
    expect(readdirSync(join(folder, "quarantine")).sort()).toEqual(["a.db.4", "a.db.5", "a.db.6"]);
  });

  it("finds what was committed before the power failed", () => {
    const folder = temporaryFolder();
    const live = opened(join(folder, "live.db"));
    live.exec("insert into word values ('committed')");
    for (const suffix of ["", "-wal"]) copyFileSync(join(folder, `live.db${suffix}`), join(folder, `cut.db${suffix}`));
    live.close();
    const database = opened(join(folder, "cut.db"));
    expect(database.prepare("select word from word").all()).toEqual([{ word: "committed" }]);
    database.close();
  });

  it("takes an empty file for a new database", () => {
    const path = join(temporaryFolder(), "a.db");
    writeFileSync(path, "");
    const opening = open(path);
    expect(opening).toMatchObject({ kind: "open", setAside: null });
    if (opening.kind === "open") opening.database.close();
  });

  it("says which code it was that made a place unusable", () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "a.db"));
    writeFileSync(join(folder, "file"), "");
    expect(open(join(folder, "a.db"))).toMatchObject({ kind: "unusable", code: expect.stringMatching(/^SQLITE/) });
    expect(open(join(folder, "file", "a.db"))).toEqual({ kind: "unusable", code: "EEXIST" });
  });

  it.each([
    ["SQLITE_IOERR_SHMMAP", "put dataDir on another, such as ext4"],
    ["SQLITE_IOERR_SHMSIZE", "check the disk"],
    ["SQLITE_CANTOPEN", "who may write there"],
  ])("says what can be done about a place where nothing can be opened for %s", (code, remedy) => {
    expect(remedyFor(code)).toContain(remedy);
  });

  it("can be opened by two at once", () => {
    const path = join(temporaryFolder(), "a.db");
    const [one, other] = [opened(path), opened(path)];
    one.exec("insert into word values ('seen')");
    expect(other.prepare("select word from word").all()).toEqual([{ word: "seen" }]);
    one.close();
    other.close();
  });
});
