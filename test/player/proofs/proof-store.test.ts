import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KEPT_MS, type OwedProof } from "../../../src/player/proofs/proof-records.ts";
import type { ProofStore } from "../../../src/player/proofs/proof-store.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { tellTime } from "../../support/player/service-time.ts";
import { HOUR, MINUTE, proofOf, proofStoreIn } from "./proofs.ts";

const ids = (proofs: readonly { playoutId: string }[]) => proofs.map(({ playoutId }) => playoutId);
const none: readonly number[] = [];
/** Numbers as large as an epoch's have no more digits behind the point. */
const ROUNDING_MS = 0.01;

function begin(folder = temporaryFolder(), clock = new ManualClock(), runId = "run-1") {
  const store = proofStoreIn(folder, runId);
  const serviceClock = new ServiceClock(clock);
  return { folder, clock, store, serviceClock, reading: () => serviceClock.read() };
}

function firstOf(store: ProofStore, reading: Parameters<ProofStore["due"]>[0]): OwedProof {
  const [proof] = store.due(reading, "never", 1, none);
  if (proof === undefined) throw new Error("nothing is due");
  return proof;
}

describe("the proof store", () => {
  it("finds after a crash what was owed before it", () => {
    const { folder, clock, store, reading } = begin();
    expect(store.owe(proofOf("a", 0), reading())).toEqual({ kind: "owed" });
    const after = begin(folder, clock, "run-2");
    expect(after.store.due(after.reading(), "never", 10, none)).toMatchObject([
      { playoutId: "a", pop: "https://pop.example/a", attempts: 0, deadline: HOUR },
    ]);
  });

  it("owes each playout once, and the same number in another run again", () => {
    const { folder, clock, store, reading } = begin();
    store.owe(proofOf("a", 0), reading());
    expect(store.owe(proofOf("a", 0), reading())).toEqual({ kind: "known" });
    const after = begin(folder, clock, "run-2");
    expect(after.store.owe(proofOf("a", 0), reading())).toEqual({ kind: "owed" });
    expect(after.store.counts().owed).toBe(2);
  });

  it("hands out the soonest deadline first, and no more than asked for", () => {
    const { clock, store, reading } = begin();
    for (const [id, requestedAt] of [
      ["late", 30],
      ["early", 10],
      ["middle", 20],
    ] as const) {
      store.owe(proofOf(id, requestedAt, { shownAt: 0 }), reading());
    }
    expect(clock.now()).toBe(0);
    expect(ids(store.due(reading(), "never", 2, none))).toEqual(["early", "middle"]);
  });

  it("hands out neither what is excepted nor what is not due", async () => {
    const { clock, store, reading } = begin();
    store.owe(proofOf("a", 0), reading());
    const proof = firstOf(store, reading());
    expect(store.due(reading(), "never", 10, [proof.id])).toEqual([]);
    store.settle([{ proof, verdict: { kind: "retry", at: 500 }, answer: "timeout" }], reading());
    expect(store.due(reading(), "before", 10, none)).toEqual([]);
    expect(store.nextAt(reading())).toBe(500);
    await clock.advance(500);
    expect(store.due(reading(), "before", 10, none)).toMatchObject([{ playoutId: "a", attempts: 1 }]);
    expect(store.due(reading(), "never", 10, none)).toEqual([]);
  });

  it("settles a proof once and for all", () => {
    const { store, reading } = begin();
    store.owe(proofOf("a", 0), reading());
    const proof = firstOf(store, reading());
    store.settle([{ proof, verdict: { kind: "refused", status: 410 }, answer: "HTTP 410" }], reading());
    store.settle([{ proof, verdict: { kind: "delivered" }, answer: "accepted" }], reading());
    expect(store.counts()).toEqual({ owed: 0, delivered: 0, refused: 1, expired: 0, oldestDeadline: null });
  });

  it("ends the hour to the millisecond", async () => {
    const { clock, store, reading } = begin();
    store.owe(proofOf("a", 0), reading());
    await clock.advance(HOUR - 1);
    expect(store.expire(reading(), none)).toEqual([]);
    await clock.advance(1);
    expect(store.due(reading(), "never", 10, none)).toEqual([]);
    expect(ids(store.expire(reading(), none))).toEqual(["a"]);
    expect(store.counts()).toMatchObject({ owed: 0, expired: 1 });
  });

  it("tells the soonest deadline of all by the service's clock", async () => {
    const { clock, store, serviceClock, reading } = begin();
    tellTime(serviceClock, 5_000_000);
    store.owe(proofOf("a", 0), reading());
    await clock.advance(MINUTE);
    clock.jumpWall(-20 * HOUR);
    store.owe(proofOf("b", clock.now()), reading());
    expect(store.counts().oldestDeadline).toBe(5_000_000 + HOUR);
  });

  it("tells by the service's clock when a proof was refused, though the machine's own was set meanwhile", async () => {
    const { clock, store, serviceClock, reading } = begin(temporaryFolder(), new ManualClock(0));
    tellTime(serviceClock, 1_800_000_000_000);
    store.owe(proofOf("a", 0), reading());
    clock.jumpWall(1_800_000_000_000);
    await clock.advance(MINUTE);
    const proof = firstOf(store, reading());
    store.settle([{ proof, verdict: { kind: "refused", status: 410 }, answer: "HTTP 410" }], reading());
    expect(store.lastRefused()?.at).toBe(1_800_000_000_000 + MINUTE);
  });

  it("keeps what is settled for 30 days, and what is owed for as long as it is owed (G9)", async () => {
    const { clock, store, reading } = begin();
    store.owe(proofOf("a", 0), reading());
    store.owe(proofOf("b", 0), reading());
    store.settle([{ proof: firstOf(store, reading()), verdict: { kind: "delivered" }, answer: "accepted" }], reading());
    const start = clock.wall();
    expect(store.prune(start + KEPT_MS)).toBe(0);
    expect(store.prune(start + KEPT_MS + 1)).toBe(1);
    expect(store.counts()).toMatchObject({ owed: 1, delivered: 0 });
  });
});

describe("a proof that was owed before the service's time was known, on a machine whose clock began in 1970", () => {
  const AHEAD = 7_777;

  /** Two are owed, and one of them delivered; then the machine's clock is put right, and the service tells its time. */
  function dated() {
    const begun = begin();
    const { clock, store, serviceClock, reading } = begun;
    const truth = clock.wall() + AHEAD;
    clock.jumpWall(-clock.wall());
    for (const id of ["a", "b"]) store.owe(proofOf(id, clock.now()), reading());
    store.settle([{ proof: firstOf(store, reading()), verdict: { kind: "delivered" }, answer: "accepted" }], reading());
    store.date(reading());
    clock.jumpWall(truth - AHEAD - clock.wall());
    tellTime(serviceClock, truth);
    store.date(reading());
    return { ...begun, truth };
  }

  it("is kept for 30 days all the same", () => {
    const { store, truth } = dated();
    expect(store.prune(truth + KEPT_MS - 1_000)).toBe(0);
    expect(store.prune(truth + KEPT_MS + 1_000)).toBe(1);
  });

  it("has what is left of its hour after another boot", () => {
    const { folder, clock, truth } = dated();
    clock.reboot(20 * MINUTE);
    const after = begin(folder, clock, "run-2");
    after.store.rebase({ ...after.reading(), service: truth + 20 * MINUTE }, clock.now());
    const [left] = after.store.due(after.reading(), "never", 10, none);
    expect(left?.deadline).toBeGreaterThan(40 * MINUTE - 2_000);
    expect(left?.deadline).toBeLessThanOrEqual(40 * MINUTE);
  });
});

describe("a proof whose boot ended before the service's time was known", () => {
  /** The proof before it was asked for `beforeMs` before the first boot, the machine was off for `offMs`, and is told the time. */
  function undated({
    wall,
    beforeMs,
    offMs,
  }: {
    wall: "in 1970" | "days ahead";
    beforeMs: number | null;
    offMs: number;
  }) {
    const { folder, clock, store, serviceClock, reading } = begin();
    const truth = () => clock.now() + off;
    let off = clock.wall() + 7_777;
    if (beforeMs !== null) {
      tellTime(serviceClock, truth());
      store.owe(proofOf("before", clock.now()), reading());
      off += clock.now() + beforeMs;
      clock.reboot(beforeMs);
    }
    clock.jumpWall(wall === "in 1970" ? -clock.wall() : 10 * 24 * HOUR);
    begin(folder, clock, "run-2").store.owe(proofOf("a", clock.now()), new ServiceClock(clock).read());
    off += clock.now() + offMs;
    clock.reboot(offMs);
    const after = begin(folder, clock, "run-3");
    after.store.rebase({ ...after.reading(), service: truth() }, clock.now());
    return after.store.due(after.reading(), "never", 10, none).filter(({ playoutId }) => playoutId === "a");
  }

  it.each(["in 1970", "days ahead"] as const)(
    "has what is left of the hour of the one before it (clock %s)",
    (wall) => {
      const [left] = undated({ wall, beforeMs: 5 * MINUTE, offMs: 10 * MINUTE });
      expect(left?.deadline).toBeGreaterThan(45 * MINUTE - 2_000);
      expect(left?.deadline).toBeLessThanOrEqual(45 * MINUTE);
    },
  );

  it.each(["in 1970", "days ahead"] as const)("is not sent where its hour may be over (clock %s)", (wall) => {
    expect(undated({ wall, beforeMs: 5 * MINUTE, offMs: 2 * HOUR })).toEqual([]);
    expect(undated({ wall, beforeMs: null, offMs: MINUTE })).toEqual([]);
  });
});

describe("a proof from before the last boot", () => {
  function bootAgain(offMs: number) {
    const before = begin();
    tellTime(before.serviceClock, before.clock.wall());
    before.store.owe(proofOf("a", before.clock.now()), before.reading());
    before.clock.reboot(offMs);
    return begin(before.folder, before.clock, "run-2");
  }

  function carried(after: ReturnType<typeof bootAgain>, service: number) {
    after.store.rebase({ ...after.reading(), service }, after.clock.now());
    return after.store.due(after.reading(), "never", 10, none);
  }

  it("is not handed out before it has been carried over", () => {
    const after = bootAgain(MINUTE);
    expect(after.store.due(after.reading(), "never", 10, none)).toEqual([]);
    expect(after.store.owedFromEarlierBoots(after.clock.bootId)).toBe(1);
  });

  it("has what is left of its hour, by the service's time", () => {
    const after = bootAgain(20 * MINUTE);
    expect(carried(after, after.clock.wall())).toMatchObject([{ playoutId: "a", deadline: 40 * MINUTE }]);
    expect(after.store.owedFromEarlierBoots(after.clock.bootId)).toBe(0);
  });

  it("is over when the service says so, though the wall clock has fallen back to 1970", () => {
    const after = bootAgain(61 * MINUTE);
    const truth = after.clock.wall();
    after.clock.jumpWall(-truth);
    expect(carried(after, truth)).toEqual([]);
    expect(ids(after.store.expire(after.reading(), none))).toEqual(["a"]);
  });

  it("is never sent after its hour, whatever fraction of a second the answers did not tell", () => {
    const fraction = fc.integer({ min: 0, max: 999 });
    const onTheWay = fc.integer({ min: 0, max: 2_000 });
    fc.assert(
      fc.property(
        fraction,
        onTheWay,
        onTheWay,
        fc.integer({ min: 1_000, max: 40 * MINUTE }),
        fc.boolean(),
        (part, there, back, offMs, isKnown) => {
          const before = begin();
          /** By the service's own clock, which this machine's does not show. */
          const serviceTime = () => before.clock.wall() + part + 7 * MINUTE;
          const hear = ({ clock, serviceClock }: Pick<typeof before, "clock" | "serviceClock">) => {
            const readAt = serviceTime() - back;
            const span = { sentAt: clock.now() - back - there, heardAt: clock.now() };
            for (let answers = 0; answers < 2; answers++) serviceClock.hear(Math.floor(readAt / 1_000) * 1_000, span);
          };
          if (isKnown) hear(before);
          const asked = serviceTime();
          before.store.owe(proofOf("a", before.clock.now()), before.reading());
          if (!isKnown) hear(before);
          before.store.date(before.reading());
          before.clock.reboot(offMs);
          const after = begin(before.folder, before.clock, "run-2");
          hear(after);
          const reading = after.reading();
          after.store.rebase({ ...reading, service: reading.service ?? Number.NaN }, after.clock.now());
          const { deadline } = firstOf(after.store, after.reading());
          expect(deadline).toBeLessThanOrEqual(asked + HOUR - serviceTime() + after.clock.now() + ROUNDING_MS);
        },
      ),
      // The whole of a second open before the boot, and nothing of it after.
      { numRuns: 80, examples: [[0, 0, 0, 1_999, false]] },
    );
  });

  it("has no more than an hour from the start of this run, whatever the service's clock says", () => {
    const after = bootAgain(MINUTE);
    expect(carried(after, 0)).toMatchObject([{ deadline: HOUR }]);
  });
});
