import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openShared } from "../../../src/player/stores/database.ts";
import { recordedFolder } from "../../cli/record/running.ts";
import { recordFlaws } from "./record-flaws.ts";

async function flawsAfter(sql: string) {
  const { folder } = await recordedFolder();
  const path = join(folder, "proofs.db");
  const shared = openShared(path);
  shared.exec(sql);
  shared.close();
  return recordFlaws(path);
}

describe("what is wrong with a record beside its proofs", () => {
  it("is nothing where each proof has its row, and each row that says shown its proof", async () => {
    expect(await flawsAfter("")).toEqual([]);
  });

  it("is a proof without a row, and a row without a proof", async () => {
    const flaws = await flawsAfter("update proof set request_id = 'request-x' where request_id = 'request-0-1'");
    expect(flaws).toEqual([
      "ad request-x: proved, with 0 rows of record",
      "ad request-0-1: shown as the record says, and never owed",
    ]);
  });

  it("is what a verifier finds", async () => {
    expect(await flawsAfter("delete from record where sequence = 6")).toEqual(["row 6 is missing"]);
  });
});
