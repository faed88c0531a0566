import { createHash } from "node:crypto";
import { join } from "node:path";
import canonicalize from "canonicalize";
import { describe, expect, it } from "vitest";
import { ProofStore } from "../../../src/player/proofs/proof-store.ts";
import { listed, type StoredRow } from "../../../src/player/record/record-row.ts";
import { ROW_COLUMNS } from "../../../src/player/record/record-sql.ts";
import { RecordStore } from "../../../src/player/record/record-store.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { openReadOnly, openShared } from "../../../src/player/stores/database.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { proofFileIn } from "../proofs/proofs.ts";
import { endedPlayout, proofFor } from "./ended.ts";

const reading = new ServiceClock(new ManualClock()).read();

function storesIn(folder: string) {
  const file = proofFileIn(folder);
  return { file, proofs: new ProofStore(file, "run-1"), record: new RecordStore(file) };
}

function rowsIn(folder: string): readonly StoredRow[] {
  const database = openReadOnly(join(folder, "proofs.db"));
  const rows = database.prepare<[], StoredRow>(`select ${ROW_COLUMNS} from record order by sequence`).all();
  database.close();
  return rows;
}

describe("the playout record", () => {
  it("gets the row of an item that was shown in the commit of its proof, and that of one that failed by itself", () => {
    const folder = temporaryFolder();
    const { file, proofs, record } = storesIn(folder);
    const shown = endedPlayout("a", 20_000);
    expect(proofs.owe(proofFor(shown), reading, [], shown)).toEqual({ kind: "owed" });
    record.append([endedPlayout("b", 30_000, { outcome: { kind: "failed", reason: "stalled" } })], reading);
    file.close();
    expect(rowsIn(folder).map(listed)).toMatchObject([
      { sequence: 0, type: "begun" },
      { sequence: 1, type: "playout", requestId: "request-a", outcome: "shown", kind: "ad", title: "A ad item" },
      { sequence: 2, type: "playout", requestId: "request-b", outcome: "failed", reason: "stalled" },
    ]);
  });

  it("names no proof-of-play URL", () => {
    const folder = temporaryFolder();
    const { file, record } = storesIn(folder);
    record.append([endedPlayout("secret", 20_000)], reading);
    file.close();
    const text = JSON.stringify(rowsIn(folder).map(listed));
    expect(text).not.toContain("pop.example");
    expect(text).toContain(createHash("sha256").update("https://pop.example/secret").digest("hex"));
  });

  it("carries in each row the hash of the one before, over canonical JSON", () => {
    const folder = temporaryFolder();
    const { file, record } = storesIn(folder);
    record.append(
      ["a", "b", "c"].map((id) => endedPlayout(id, 20_000)),
      reading,
    );
    file.close();
    let before = "00".repeat(32);
    for (const row of rowsIn(folder)) {
      expect(row.previous.toString("hex")).toBe(before);
      before = createHash("sha256")
        .update(canonicalize(listed(row)) ?? "")
        .digest("hex");
      expect(row.hash.toString("hex")).toBe(before);
    }
  });

  it("has one row for a playout that is owed twice", () => {
    const folder = temporaryFolder();
    const { file, proofs } = storesIn(folder);
    const shown = endedPlayout("a", 20_000);
    proofs.owe(proofFor(shown), reading, [], shown);
    expect(proofs.owe(proofFor(shown), reading, [], shown)).toEqual({ kind: "known" });
    file.close();
    expect(rowsIn(folder)).toHaveLength(2);
  });

  it("has a row for each of the items of a service that names no requests (F1), even where all have one URL", () => {
    const folder = temporaryFolder();
    const { file, proofs } = storesIn(folder);
    for (let number = 1; number <= 3; number++) {
      const ended = endedPlayout(`p${number}`, number * 20_000, { item: { pop: "https://pop.example/all" } });
      const unnamed = { ...ended, playout: { ...ended.playout, requestId: "" } };
      expect(proofs.owe(proofFor(unnamed), reading, [], unnamed)).toEqual({ kind: "owed" });
    }
    file.close();
    expect(rowsIn(folder)).toHaveLength(4);
  });

  it("owes the proof where the record takes no row, and says why that is missing", () => {
    const folder = temporaryFolder();
    const { file, proofs } = storesIn(folder);
    const shared = openShared(join(folder, "proofs.db"));
    shared.exec("create trigger broken before insert on record begin select raise(abort, 'no'); end");
    shared.close();
    const shown = endedPlayout("a", 20_000);
    expect(proofs.owe(proofFor(shown), reading, [], shown)).toMatchObject({
      kind: "owed",
      unrecorded: expect.stringContaining("SQLITE_CONSTRAINT"),
    });
    expect(proofs.counts().owed).toBe(1);
    file.close();
  });

  it("lets nobody change a row", () => {
    const folder = temporaryFolder();
    const { file, record } = storesIn(folder);
    record.append([endedPlayout("a", 20_000)], reading);
    const shared = openShared(join(folder, "proofs.db"));
    expect(() => shared.exec("update record set title = 'other'")).toThrow(/never changed/);
    shared.close();
    file.close();
  });
});
