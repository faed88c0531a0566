import { pino } from "pino";
import { describe, expect, it, vi } from "vitest";
import { dayIn } from "../../../src/player/proofs/day-report.ts";
import type { ProofFileParts } from "../../../src/player/proofs/proof-file.ts";
import { DeliveryStats, ProofRecorder, WRITTEN_WITHIN_MS } from "../../../src/player/proofs/proof-recorder.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { tellTime } from "../../support/player/service-time.ts";
import { endedPlayout } from "../record/ended.ts";
import { HOUR, proofOf, proofStoreIn } from "./proofs.ts";

const START = Date.UTC(2026, 0, 31, 9);
const day = dayIn("2026-01-31", "UTC");

function begin(wall = START, parts: Partial<ProofFileParts> = {}) {
  const clock = new ManualClock(wall);
  const serviceClock = new ServiceClock(clock);
  const store = proofStoreIn(temporaryFolder(), "run-1", parts);
  const stats = new DeliveryStats({ store, clock, serviceClock });
  const told: number[] = [];
  const recorder = new ProofRecorder({
    store,
    clock,
    serviceClock,
    log: pino({ level: "silent" }),
    stats,
    records: { add() {} },
    onOwed: () => told.push(store.counts().owed),
  });
  return { clock, serviceClock, store, stats, recorder, told, total: () => store.report(day).total };
}

describe("the delivery stats", () => {
  it("writes down what it counted within a minute", async () => {
    const { clock, serviceClock, stats, total } = begin();
    tellTime(serviceClock, START);
    stats.count("slot");
    stats.count("slot");
    stats.count("failed", "stalled");
    expect(total()).toMatchObject({ slots: 0 });
    await clock.advance(WRITTEN_WITHIN_MS);
    expect(total()).toMatchObject({ slots: 2, fills: 0, failed: { stalled: 1 } });
    await clock.advance(HOUR);
    expect(total()).toMatchObject({ slots: 2 });
  });

  it("writes it with the next proof, in one commit", () => {
    const { clock, serviceClock, store, stats, total } = begin();
    tellTime(serviceClock, START);
    stats.count("fill");
    store.owe(proofOf("a", clock.now()), serviceClock.read(), stats.pending());
    stats.written();
    expect(total()).toMatchObject({ fills: 1, shown: { news: 0, ad: 1 } });
    stats.close();
    expect(total()).toMatchObject({ fills: 1 });
  });

  it("waits for the service's time, and counts by it, though this machine believes it is 1970", async () => {
    const { clock, serviceClock, stats, store, total } = begin(0);
    stats.count("slot");
    await clock.advance(2 * HOUR);
    expect(total()).toMatchObject({ slots: 0 });
    tellTime(serviceClock, START + 2 * HOUR);
    await clock.advance(WRITTEN_WITHIN_MS);
    expect(store.report(day).hours[9]).toMatchObject({ hour: "09:00", slots: 1 });
  });

  it("waits for it though an item is owed meanwhile, whose proof is dated as soon as it is known", async () => {
    const { clock, serviceClock, stats, store, recorder, total } = begin(0);
    stats.count("slot");
    recorder.owe(endedPlayout("a", clock.now()));
    expect(total()).toMatchObject({ slots: 0, shown: { ad: 0 } });
    tellTime(serviceClock, START);
    store.date(serviceClock.read());
    recorder.owe(endedPlayout("b", clock.now()));
    expect(total()).toMatchObject({ slots: 1, shown: { ad: 2 } });
  });

  it("writes down the rest when it is closed", () => {
    const { serviceClock, stats, total } = begin();
    tellTime(serviceClock, START);
    stats.count("slot");
    stats.close();
    expect(total()).toMatchObject({ slots: 1 });
  });
});

describe("the proof recorder", () => {
  it("tells of what is owed when that is on the disk, and not before", async () => {
    const { clock, store, recorder, told } = begin(START, { flushesInThread: true });
    recorder.owe(endedPlayout("a", clock.now()));
    expect([store.counts().owed, told]).toEqual([1, []]);
    await expect.poll(() => told).toEqual([1]);
  });

  it("commits what a disk refused for long little by little, and all of it at once when it is closed", async () => {
    const { clock, store, recorder, told } = begin();
    const owe = store.owe.bind(store);
    const owing = vi.spyOn(store, "owe").mockReturnValue({ kind: "unwritable", code: "SQLITE_FULL" });
    for (let number = 0; number < 200; number++) recorder.owe(endedPlayout(`${number}`, clock.now()));
    const callsFor = (act: () => void) => {
      owing.mockClear().mockImplementation(owe);
      act();
      return owing.mock.calls.length;
    };
    expect(callsFor(() => recorder.owe(endedPlayout("last", clock.now())))).toBe(20);
    await expect.poll(() => [recorder.waiting, told.at(-1)]).toEqual([0, 201]);
    owing.mockReturnValue({ kind: "unwritable", code: "SQLITE_FULL" });
    for (let number = 300; number < 400; number++) recorder.owe(endedPlayout(`${number}`, clock.now()));
    expect(callsFor(() => recorder.close())).toBe(100);
    expect([recorder.waiting, store.counts().owed]).toEqual([0, 301]);
  });
});
