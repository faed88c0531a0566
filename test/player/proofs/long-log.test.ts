import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import BetterSqlite3 from "better-sqlite3";
import { expect, it } from "vitest";
import { proofMigrations } from "../../../src/player/proofs/proof-records.ts";
import { owedInKept } from "../../../src/player/proofs/salvage/salvage.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";

const PAGE_BYTES = 512;
const LOGGED_PAGES = 40_000;

it("what a broken database owes is found however long its log is, which is gone through once", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "proofs.db");
  const database = new BetterSqlite3(path);
  database.pragma(`page_size = ${PAGE_BYTES}`);
  database.pragma("journal_mode = wal");
  database.pragma("wal_autocheckpoint = 0");
  for (const step of proofMigrations) database.exec(typeof step === "string" ? step : step.addition);
  database.exec(`create table filler (bytes blob); insert into filler values (zeroblob(${PAGE_BYTES * LOGGED_PAGES}))`);
  database.exec(`
    insert into proof (run_id, playout_id, screen_id, request_id, item_id, kind, pop, shown_wall, requested_wall,
      requested_monotonic, requested_boot, service_offset, timeline, due, deadline)
    values ('run-1', 'p1', 'screen-1', 'r1', 'i1', 'ad', 'https://pop.example/p1', 1, 1, 1, 'b', 0, 'b', 1, 1)`);
  const kept = join(folder, "kept");
  for (const suffix of ["", "-wal"]) copyFileSync(path + suffix, kept + suffix);
  database.close();
  expect(owedInKept(kept, proofMigrations.length)).toMatchObject([{ playout_id: "p1" }]);
  // So that the time that a test may take has its say.
  await setImmediate();
});
