import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  boundsAt,
  boundsOf,
  DRIFT,
  loosened,
  middleOf,
  narrowed,
  type OffsetBounds,
  type TimeAnswer,
  tellingAt,
} from "../../../src/core/network/service-offset.ts";

/** A service whose clock is ahead of ours by `offsetMs` at 0 and runs apart from it by `drift`. */
interface Truth {
  readonly offsetMs: number;
  readonly drift: number;
}

/** A call: so long after the one before, so long until the service reads its clock, and so long until it is answered. */
interface Call {
  readonly pauseMs: number;
  readonly thereMs: number;
  readonly backMs: number;
}

const offsetAt = ({ offsetMs, drift }: Truth, at: number) => offsetMs + drift * at;

/** What a service tells whose `Date` is the whole second that its clock is in. */
function told(truth: Truth, calls: readonly Call[]): readonly TimeAnswer[] {
  let now = 0;
  return calls.map(({ pauseMs, thereMs, backMs }) => {
    const sentAt = now + pauseMs;
    const readAt = sentAt + thereMs;
    const heardAt = readAt + backMs;
    now = heardAt;
    const shown = readAt + offsetAt(truth, readAt);
    return { time: Math.floor(shown / 1_000) * 1_000, sentAt, heardAt };
  });
}

/** What is known after each answer. */
function learned(answers: readonly TimeAnswer[]): readonly OffsetBounds[] {
  const known: OffsetBounds[] = [];
  for (const answer of answers) {
    const before = known.at(-1);
    known.push(before === undefined ? boundsOf(answer) : narrowed(before, answer));
  }
  return known;
}

const widthOf = ({ lowMs, highMs }: OffsetBounds) => highMs - lowMs;

const truth = fc.record({
  offsetMs: fc.double({ min: -1e12, max: 1e12, noNaN: true }),
  drift: fc.double({ min: -DRIFT, max: DRIFT, noNaN: true }),
});
const call = fc.record({
  pauseMs: fc.double({ min: 0, max: 120_000, noNaN: true }),
  thereMs: fc.double({ min: 0, max: 5_000, noNaN: true }),
  backMs: fc.double({ min: 0, max: 5_000, noNaN: true }),
});
/** Numbers as large as an epoch's have no more digits behind the point. */
const ROUNDING_MS = 0.01;

describe("what answers tell of the service's clock", () => {
  it("always holds the truth, whatever the offset, the delays and the drift, and is never wider than one answer's", () => {
    fc.assert(
      fc.property(truth, fc.array(call, { minLength: 1, maxLength: 60 }), (real, calls) => {
        const answers = told(real, calls);
        for (const [index, known] of learned(answers).entries()) {
          const offset = offsetAt(real, known.at);
          expect(known.lowMs).toBeLessThanOrEqual(offset + ROUNDING_MS);
          expect(known.highMs).toBeGreaterThanOrEqual(offset - ROUNDING_MS);
          const answer = answers[index];
          if (answer !== undefined) expect(widthOf(known)).toBeLessThanOrEqual(widthOf(boundsOf(answer)) + ROUNDING_MS);
        }
      }),
    );
  });

  it("still holds the truth after a while without an answer", () => {
    fc.assert(
      fc.property(truth, call, fc.double({ min: 0, max: 1e9, noNaN: true }), (real, one, laterMs) => {
        const [known] = learned(told(real, [one]));
        if (known === undefined) throw new Error("nothing was learned");
        const { lowMs, highMs, at } = boundsAt(known, known.at + laterMs);
        expect(lowMs).toBeLessThanOrEqual(offsetAt(real, at) + ROUNDING_MS);
        expect(highMs).toBeGreaterThanOrEqual(offsetAt(real, at) - ROUNDING_MS);
      }),
    );
  });

  it("never becomes wider by an answer than it was, drift aside", () => {
    fc.assert(
      fc.property(truth, fc.array(call, { minLength: 2, maxLength: 60 }), (real, calls) => {
        const known = learned(told(real, calls));
        for (const [index, after] of known.slice(1).entries()) {
          const before = known[index];
          if (before === undefined) throw new Error("nothing was known before");
          expect(widthOf(after)).toBeLessThanOrEqual(widthOf(boundsAt(before, after.at)) + ROUNDING_MS);
        }
      }),
    );
  });

  it("becomes far narrower than the second that each answer leaves open", () => {
    // At all fractions of a second, as spots are asked for: 20 ms there and 20 ms back.
    const calls = Array.from({ length: 40 }, (_, n) => ({
      pauseMs: 15_000 + ((n * 381.97) % 1_000),
      thereMs: 20,
      backMs: 20,
    }));
    const known = learned(told({ offsetMs: 1_234_567.8, drift: 0 }, calls));
    const last = known.at(-1);
    if (last === undefined) throw new Error("nothing was learned");

    expect(widthOf(known[0] ?? last)).toBeCloseTo(1_040, 1);
    expect(middleOf(last).withinMs).toBeLessThan(80);
    expect(Math.abs(middleOf(last).offsetMs - 1_234_567.8)).toBeLessThanOrEqual(middleOf(last).withinMs);
  });

  it("comes to lie close together by requests at the same fraction of a second, each put off to when it tells most", () => {
    const roundTrip = fc.integer({ min: 0, max: 80 });
    fc.assert(
      fc.property(truth, roundTrip, fc.integer({ min: 3_000, max: 60_000 }), (real, roundTripMs, everyMs) => {
        let known: OffsetBounds | null = null;
        let putOff = 0;
        for (let n = 0; n < 8; n++) {
          const now = n * everyMs;
          const sentAt: number = known === null ? now : tellingAt(known, roundTripMs, now);
          expect(sentAt).toBeGreaterThanOrEqual(now);
          expect(sentAt).toBeLessThan(now + 1_000);
          if (sentAt > now) putOff++;
          const readAt: number = sentAt + roundTripMs / 2;
          const time = Math.floor((readAt + offsetAt(real, readAt)) / 1_000) * 1_000;
          const answer = { time, sentAt, heardAt: sentAt + roundTripMs };
          known = known === null ? boundsOf(answer) : narrowed(known, answer);
        }
        if (known === null) throw new Error("nothing was learned");
        expect(putOff).toBeGreaterThan(0);
        expect(middleOf(known).withinMs).toBeLessThanOrEqual(roundTripMs / 2 + 70);
        expect(Math.abs(middleOf(known).offsetMs - offsetAt(real, known.at))).toBeLessThanOrEqual(
          middleOf(known).withinMs + ROUNDING_MS,
        );
      }),
    );
  });

  it("puts a request off no more where enough is known", () => {
    const known = { lowMs: 1_000_450, highMs: 1_000_530, at: 0 };
    expect(tellingAt(known, 20, 123)).toBe(123);
    // In the middle between 450 and 630 the second begins 460 ms later, 10 ms of which the request is on its way.
    expect(tellingAt({ ...known, highMs: 1_000_630 }, 20, 0)).toBe(450);
  });

  it("starts anew where answers contradict each other by more than clocks run apart", () => {
    const first = boundsOf({ time: 50_000, sentAt: 0, heardAt: 10 });
    const set: TimeAnswer = { time: 53_000, sentAt: 1_000, heardAt: 1_010 };
    expect(narrowed(first, set)).toEqual(boundsOf(set));
    const inStep: TimeAnswer = { time: 51_000, sentAt: 1_000, heardAt: 1_010 };
    expect(narrowed(first, inStep)).toMatchObject({ highMs: boundsOf(inStep).highMs, at: 1_010 });
  });

  it("holds the truth after a step of the monotonic clock that is no larger than is said", () => {
    const known = boundsOf({ time: 50_000, sentAt: 0, heardAt: 10 });
    expect(loosened(known, 1_000)).toEqual({ lowMs: known.lowMs - 1_000, highMs: known.highMs + 1_000, at: 10 });
  });
});
