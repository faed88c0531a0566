import { join } from "node:path";
import { pino } from "pino";
import { expect, it } from "vitest";
import { MOST_WAITING, RecordDesk } from "../../../src/player/record/record-store.ts";
import { openShared } from "../../../src/player/stores/database.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { endedPlayout } from "./ended.ts";
import { readAll, recordingIn } from "./recording.ts";

/** A record that takes no row until it is mended, and the desk where rows are written. */
function refusing() {
  const folder = temporaryFolder();
  const { clock, store, serviceClock } = recordingIn(folder);
  const desk = new RecordDesk({ store, clock, serviceClock, log: pino({ level: "silent" }) });
  const run = (sql: string) => {
    const shared = openShared(join(folder, "proofs.db"));
    shared.exec(sql);
    shared.close();
  };
  run("create trigger broken before insert on record begin select raise(abort, 'no'); end");
  return { folder, clock, desk, mend: () => run("drop trigger broken") };
}

it("keeps rows that cannot be written in memory, and writes them in their order once they can be", async () => {
  const { folder, clock, desk, mend } = refusing();
  for (const id of ["a", "b", "c"]) desk.add(endedPlayout(id, 20_000));
  expect(desk.unwritten).toBe(3);
  mend();
  await clock.advance(5_000);
  expect(desk.unwritten).toBe(0);
  const ids = readAll<{ id: string }>(folder, "select request_id as id from record where type = 'playout'");
  expect(ids.map(({ id }) => id)).toEqual(["request-a", "request-b", "request-c"]);
});

it("gives the oldest up when there are too many, and the record says how many", async () => {
  const { folder, clock, desk, mend } = refusing();
  for (let number = 0; number < MOST_WAITING + 2; number++) desk.add(endedPlayout(`p${number}`, 20_000));
  expect(desk.unwritten).toBe(MOST_WAITING + 2);
  mend();
  await clock.advance(5_000);
  expect(desk.unwritten).toBe(0);
  expect(readAll(folder, "select notice from record where type = 'lost'")).toEqual([{ notice: '{"rows":2}' }]);
  const [first] = readAll<{ id: string }>(folder, "select request_id as id from record where type = 'playout' limit 1");
  expect(first?.id).toBe("request-p2");
});
