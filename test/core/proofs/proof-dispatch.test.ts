import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type DispatchState,
  MOST_SENDS,
  MOST_SLOW_SENDS,
  NO_QUEUE,
  needsReload,
  nextDispatch,
  READ_AHEAD,
  readAnew,
  SENDS_AT_ONCE,
  type Sendable,
  SLOW_AFTER_MS,
} from "../../../src/core/proofs/proof-dispatch.ts";

const proof = (id: number, deadline = 3_600_000): Sendable => ({ id, deadline });
const many = (count: number, from = 0) => Array.from({ length: count }, (_, index) => proof(from + index));
const state = (changes: Partial<DispatchState<Sendable>>): DispatchState<Sendable> => ({
  queue: NO_QUEUE,
  resends: [],
  underWay: [],
  slow: new Set(),
  ...changes,
});
const waiting = (fresh: readonly Sendable[], tried: readonly Sendable[] = []) => readAnew(NO_QUEUE, fresh, tried);
const underWay = (id: number, begunAt: number, wasSlow = false) => ({ proof: proof(id), begunAt, wasSlow });
const idsOf = (proofs: readonly Sendable[]) => proofs.map(({ id }) => id);

describe("the next proofs to be sent", () => {
  it("are one, and the others wait, as long as few do", () => {
    const { send, queue, lookAgainAt } = nextDispatch(state({ queue: waiting(many(3)) }), 0);
    expect(idsOf(send)).toEqual([0]);
    expect(idsOf(queue.fresh)).toEqual([1, 2]);
    expect(lookAgainAt).toBe(SLOW_AFTER_MS);
  });

  it("are several at once from when many wait until nobody does", () => {
    const backlog = nextDispatch(state({ queue: waiting(many(READ_AHEAD)) }), 0);
    expect(backlog.send).toHaveLength(SENDS_AT_ONCE);
    const rest = readAnew(backlog.queue, many(2), []);
    expect(rest.isBacklogged).toBe(true);
    const last = nextDispatch(state({ queue: rest }), 0);
    expect([last.send.length, last.queue.isBacklogged]).toEqual([2, false]);
  });

  it("are those never tried first, then those tried before, then the slow ones, then those sent again unrecorded", () => {
    const queue = { ...waiting([proof(1)], [proof(2), proof(3)]), isBacklogged: true };
    const resends = [{ proof: proof(4), at: 0 }];
    const { send } = nextDispatch(state({ queue, resends, slow: new Set([2]) }), 0);
    expect(idsOf(send)).toEqual([1, 3, 2, 4]);
  });

  it("do not wait for a try that is slow by now, nor for a later try of one that was", () => {
    const queue = waiting([proof(9)]);
    const next = (begunAt: number, wasSlow: boolean) =>
      idsOf(nextDispatch(state({ queue, underWay: [underWay(1, begunAt, wasSlow)] }), SLOW_AFTER_MS).send);
    expect([next(1, false), next(0, false), next(1, true)]).toEqual([[], [9], [9]]);
  });

  it("are none whose hour is over; a try that is still going then is broken off (G9)", () => {
    const queue = waiting([proof(1, 10), proof(2, 11)]);
    const late = state({ queue, underWay: [{ proof: proof(3, 10), begunAt: 9, wasSlow: true }] });
    const { send, abort, queue: left } = nextDispatch(late, 10);
    expect([idsOf(send), abort, left.fresh]).toEqual([[2], [3], []]);
  });

  it("are read from the store again where a sort has run out of which there is more", () => {
    const queue = waiting(many(READ_AHEAD), many(1, 1_000));
    expect([needsReload(queue), needsReload({ ...queue, fresh: [] }), needsReload(NO_QUEUE)]).toEqual([
      false,
      true,
      false,
    ]);
  });
});

describe("when to look again", () => {
  it("is never where nothing waits and nothing is under way", () => {
    expect(nextDispatch(state({}), 0).lookAgainAt).toBe(Number.POSITIVE_INFINITY);
  });

  it("is when one is to be sent again, or a try's hour ends", () => {
    const resends = [{ proof: proof(1), at: 500 }];
    expect(nextDispatch(state({ resends }), 0).lookAgainAt).toBe(500);
    expect(nextDispatch(state({ underWay: [underWay(1, 0)] }), 0).lookAgainAt).toBe(3_600_000);
  });
});

describe("any state of the sender", () => {
  const deadline = fc.integer({ min: 0, max: 4_000 });
  const proofs = fc.array(deadline, { maxLength: READ_AHEAD }).map((all) => all.sort((one, other) => one - other));
  const some = fc.record({
    fresh: proofs,
    tried: proofs,
    resends: fc.array(fc.record({ deadline, at: deadline }), { maxLength: 80 }),
    underWay: fc.array(fc.record({ deadline, begunAt: fc.integer({ min: 0, max: 2_000 }), wasSlow: fc.boolean() }), {
      maxLength: MOST_SENDS,
    }),
    slow: fc.array(fc.integer({ min: 0, max: 400 })),
    isBacklogged: fc.boolean(),
  });

  it("leads to no more tries than there is room for, none late, none twice, and to a later look", () => {
    fc.assert(
      fc.property(some, ({ fresh, tried, resends, underWay: sends, slow, isBacklogged }) => {
        const now = 2_000;
        let id = 0;
        const of = (instant: number) => proof(id++, instant);
        const before = state({
          queue: { ...waiting(fresh.map(of), tried.map(of)), isBacklogged },
          resends: resends.map((one) => ({ proof: of(one.deadline), at: one.at })),
          underWay: sends.map((one) => ({ ...one, proof: of(one.deadline) })),
          slow: new Set(slow),
        });
        const { send, abort, queue, lookAgainAt } = nextDispatch(before, now);
        expect(before.underWay.length + send.length).toBeLessThanOrEqual(MOST_SENDS);
        const steady = send.filter((one) => !before.slow.has(one.id));
        expect(steady.length).toBeLessThanOrEqual(isBacklogged ? SENDS_AT_ONCE : 1);
        const slowSends = sends.filter(({ wasSlow }) => wasSlow).length + send.length - steady.length;
        expect(slowSends).toBeLessThanOrEqual(Math.max(MOST_SLOW_SENDS, sends.filter((one) => one.wasSlow).length));
        expect(send.every((one) => one.deadline > now)).toBe(true);
        expect(before.underWay.filter(({ proof: one }) => one.deadline <= now).map(({ proof: one }) => one.id)).toEqual(
          abort,
        );
        const left = [...queue.fresh, ...queue.tried];
        expect(new Set([...send, ...left]).size).toBe(send.length + left.length);
        expect(lookAgainAt).toBeGreaterThan(now);
      }),
    );
  });
});
