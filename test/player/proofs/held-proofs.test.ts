import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, describe, expect, it } from "vitest";
import type { Delivery } from "../../../src/core/proofs/proof.ts";
import { ProofRecorder } from "../../../src/player/proofs/proof-recorder.ts";
import { proofMigrations } from "../../../src/player/proofs/proof-records.ts";
import { type Database, openDatabase } from "../../../src/player/stores/database.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { endedPlayout } from "../record/ended.ts";
import { accepted, courierRun, HOUR, MINUTE, proofStoreIn, SECOND, unreachable } from "./proofs.ts";

let letGo = () => {};
afterEach(() => letGo());

/** A recorder and a courier on one store that takes nothing until it is told to; `answers` are the network's, in turn. */
function onARefusingDisk(...answers: readonly (Delivery | Promise<Delivery>)[]) {
  const folder = temporaryFolder();
  const clock = new ManualClock();
  const left = [...answers];
  const run = courierRun(folder, clock, () => left.shift() ?? accepted);
  const recorder = new ProofRecorder({
    store: run.store,
    clock,
    serviceClock: run.serviceClock,
    log: pino({ level: "silent" }),
    records: { add: () => {} },
    onOwed: () => run.courier.notify(),
  });
  run.courier.start();
  const other = openOther(folder);
  other.exec("begin immediate");
  letGo = () => other.close();
  const again = () => proofStoreIn(folder, "run-2");
  return { ...run, folder, clock, recorder, again, takeAgain: () => other.exec("commit") };
}

function openOther(folder: string): Database {
  const opening = openDatabase({ path: join(folder, "proofs.db"), durability: "full", migrations: proofMigrations });
  if (opening.kind !== "open") throw new Error(opening.kind);
  return opening.database;
}

const settled = { owed: 0, delivered: 0, refused: 0, expired: 0, oldestDeadline: null };

describe("proofs that the disk refuses", () => {
  it("are sent all the same, counted, and written as delivered once the disk takes them", async () => {
    const { clock, recorder, store, sent, takeAgain, again } = onARefusingDisk();
    recorder.owe(endedPlayout("a", clock.now()));
    expect(store.counts()).toMatchObject({ owed: 1 });
    await clock.advance(SECOND);
    recorder.owe(endedPlayout("b", clock.now()));
    await clock.advance(SECOND);
    expect(sent.map(([id]) => id)).toEqual(["a", "b"]);
    expect(store.counts()).toEqual({ ...settled, delivered: 2 });
    expect(again().counts()).toEqual(settled);
    takeAgain();
    await clock.advance(10 * SECOND);
    expect(recorder.waiting).toBe(0);
    expect(store.counts()).toEqual({ ...settled, delivered: 2 });
    expect(again().counts()).toEqual({ ...settled, delivered: 2 });
    expect(sent).toHaveLength(2);
  });

  // What is open cannot be taken away on Windows.
  it.skipIf(process.platform === "win32")("are sent though there is no store any more", async () => {
    const { folder, clock, recorder, sent } = onARefusingDisk(unreachable);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, "a file where the folder was");
    recorder.owe(endedPlayout("a", clock.now()));
    await clock.advance(20 * SECOND);
    expect(sent.map(([id]) => id)).toEqual(["a", "a"]);
  });

  it("are tried again by what became of them, in memory and then on the disk", async () => {
    const { clock, recorder, store, sent, takeAgain } = onARefusingDisk(unreachable, unreachable);
    recorder.owe(endedPlayout("a", clock.now()));
    await clock.advance(20 * SECOND);
    const tries = sent.length;
    expect(tries).toBe(3);
    takeAgain();
    await clock.advance(HOUR);
    expect(sent).toHaveLength(tries);
    expect(store.counts()).toEqual({ ...settled, delivered: 1 });
  });

  it("keep how often they were tried, and when they are due, when they are written meanwhile", async () => {
    const { clock, recorder, store, sent, takeAgain } = onARefusingDisk(unreachable);
    recorder.owe(endedPlayout("a", clock.now()));
    await clock.advance(100);
    takeAgain();
    recorder.owe(endedPlayout("b", clock.now()));
    expect(recorder.waiting).toBe(0);
    await clock.advance(MINUTE);
    expect(sent.map(([id]) => id)).toEqual(["a", "b", "a"]);
    expect(store.counts()).toEqual({ ...settled, delivered: 2 });
  });

  it("are not sent once more when they are written while a try is under way", async () => {
    let answer = (_: Delivery) => {};
    const slow = new Promise<Delivery>((resolve) => {
      answer = resolve;
    });
    const { clock, recorder, store, sent, takeAgain, again } = onARefusingDisk(slow);
    recorder.owe(endedPlayout("a", clock.now()));
    takeAgain();
    await clock.advance(20 * SECOND);
    expect(recorder.waiting).toBe(0);
    expect(again().counts()).toMatchObject({ owed: 1 });
    answer(accepted);
    await clock.advance(HOUR);
    expect(sent.map(([id]) => id)).toEqual(["a"]);
    expect(store.counts()).toEqual({ ...settled, delivered: 1 });
  });

  it("are not sent when their hour is over, and are written as expired", async () => {
    const never = Array.from({ length: 100 }, () => unreachable);
    const { clock, recorder, store, sent, settled: ended, takeAgain, again } = onARefusingDisk(...never);
    const { playout, ...rest } = endedPlayout("a", clock.now());
    const requestedAt = clock.now() + 8 * SECOND - HOUR;
    recorder.owe({ ...rest, playout: { ...playout, requestedAt } });
    await clock.advance(20 * SECOND);
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.every(([, at]) => at < requestedAt + HOUR)).toBe(true);
    expect(ended).toEqual(["screen-1/a expired"]);
    expect(store.counts()).toEqual({ ...settled, expired: 1 });
    takeAgain();
    await clock.advance(10 * SECOND);
    expect(again().counts()).toEqual({ ...settled, expired: 1 });
  });
});
