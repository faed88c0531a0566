import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Delivery,
  DOUBT_MS,
  type Doubt,
  deadlineOf,
  doubtAfter,
  judge,
  LAST_TRY_BEFORE_MS,
  PROOF_WINDOW_MS,
} from "../../../src/core/proofs/proof.ts";

const HOUR = PROOF_WINDOW_MS;
const unreachable = (retryAfterMs: number | null = null): Delivery => ({
  kind: "unreachable",
  reason: "ECONNREFUSED",
  retryAfterMs,
});

describe("the judgement of a proof after a try", () => {
  it("calls it delivered once it was accepted, even when the hour is just over", () => {
    expect(judge({ attempts: 1, deadline: HOUR, doubt: null }, { kind: "accepted" }, HOUR + 5, 0)).toEqual({
      kind: "delivered",
    });
  });

  it("takes a final answer for final", () => {
    const verdict = judge({ attempts: 1, deadline: HOUR, doubt: null }, { kind: "refused", status: 410 }, 0, 0);
    expect(verdict).toEqual({ kind: "refused", status: 410 });
  });

  it("refuses by an answer that a firewall may have given only once it came twice, a minute apart (G8)", () => {
    const forbidden: Delivery = { kind: "doubtful", status: 403 };
    const at = (now: number, doubt: Doubt | null, attempts = 1) =>
      judge({ attempts, deadline: HOUR, doubt }, forbidden, now, 0);
    const doubt = doubtAfter(null, 403, 1_000);
    expect(at(1_000, null)).toEqual({ kind: "retry", at: 1_000 + DOUBT_MS });
    expect(at(1_000 + DOUBT_MS - 1, doubt, 2)).toEqual({ kind: "retry", at: 1_000 + DOUBT_MS });
    expect(at(1_000 + DOUBT_MS, doubt, 2)).toEqual({ kind: "refused", status: 403 });
  });

  it("begins to doubt anew where the answer is another", () => {
    const doubt = doubtAfter(null, 403, 0);
    const verdict = judge({ attempts: 2, deadline: HOUR, doubt }, { kind: "doubtful", status: 404 }, DOUBT_MS, 0);
    expect(verdict).toEqual({ kind: "retry", at: 2 * DOUBT_MS });
    expect(doubtAfter(doubt, 404, DOUBT_MS)).toEqual({ status: 404, since: DOUBT_MS });
    expect(doubtAfter(doubt, 403, DOUBT_MS)).toEqual(doubt);
  });

  it("ends the hour of a proof of which there is still doubt at the last try", () => {
    const verdict = judge(
      { attempts: 9, deadline: HOUR, doubt: { status: 404, since: HOUR - DOUBT_MS } },
      { kind: "doubtful", status: 404 },
      HOUR - LAST_TRY_BEFORE_MS,
      0,
    );
    expect(verdict).toEqual({ kind: "expired" });
  });

  it("tries again after 1, 2 and 4 s", () => {
    const verdicts = [1, 2, 3].map((attempts) =>
      judge({ attempts, deadline: HOUR, doubt: null }, unreachable(), 500, 0.3),
    );
    expect(verdicts).toEqual([
      { kind: "retry", at: 1_500 },
      { kind: "retry", at: 2_500 },
      { kind: "retry", at: 4_500 },
    ]);
  });

  it("is as patient as the service asks, and never less than its own wait", () => {
    const asked = judge({ attempts: 1, deadline: HOUR, doubt: null }, unreachable(120_000), 0, 0);
    const hurried = judge({ attempts: 3, deadline: HOUR, doubt: null }, unreachable(0), 0, 0);
    expect([asked, hurried]).toEqual([
      { kind: "retry", at: 120_000 },
      { kind: "retry", at: 4_000 },
    ]);
  });

  it("cuts a wait that would overshoot the hour to one last try before its end", () => {
    const lastTryAt = HOUR - LAST_TRY_BEFORE_MS;
    const verdicts = [unreachable(), unreachable(2 * HOUR)].map((delivery) =>
      judge({ attempts: 60, deadline: HOUR, doubt: null }, delivery, HOUR - 40_000, 0),
    );
    expect(verdicts).toEqual([
      { kind: "retry", at: lastTryAt },
      { kind: "retry", at: lastTryAt },
    ]);
  });

  it("gives up when the last try has failed", () => {
    const verdict = judge({ attempts: 61, deadline: HOUR, doubt: null }, unreachable(), HOUR - LAST_TRY_BEFORE_MS, 0);
    expect(verdict).toEqual({ kind: "expired" });
  });

  it("counts the hour from the request for the spot", () => {
    expect(deadlineOf(12_345)).toBe(12_345 + 3_600_000);
  });
});

const deliveries: fc.Arbitrary<Delivery> = fc.oneof(
  fc.constant({ kind: "accepted" } as const),
  fc.constant({ kind: "refused", status: 410 } as const),
  fc.record({ kind: fc.constant("doubtful" as const), status: fc.constantFrom(302, 400, 403, 404) }),
  fc.record({
    kind: fc.constant("unreachable" as const),
    reason: fc.constant("timeout"),
    retryAfterMs: fc.option(fc.integer({ min: 0, max: 2 * HOUR })),
  }),
);

describe("the life of a proof, for any run of answers", () => {
  const lives = fc.record({
    shownAt: fc.double({ min: 0, max: HOUR - 1, noNaN: true }),
    answers: fc.infiniteStream(fc.tuple(deliveries, fc.double({ min: 0, max: 10_000, noNaN: true }))),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  });

  it("ends within the hour, with every try begun before the deadline and after the one before", () => {
    fc.assert(
      fc.property(lives, ({ shownAt, answers, random }) => {
        let sentAt = shownAt;
        let doubt: Doubt | null = null;
        for (let attempts = 1; ; attempts++) {
          expect(sentAt).toBeLessThan(HOUR);
          const [delivery, tookMs] = answers.next().value;
          const now = sentAt + tookMs;
          const verdict = judge({ attempts, deadline: HOUR, doubt }, delivery, now, random);
          if (delivery.kind === "doubtful") doubt = doubtAfter(doubt, delivery.status, now);
          if (verdict.kind !== "retry") return;
          expect(verdict.at).toBeGreaterThan(now);
          expect(verdict.at).toBeLessThanOrEqual(HOUR - LAST_TRY_BEFORE_MS);
          sentAt = verdict.at;
        }
      }),
    );
  });

  it("is retried only when nobody has answered for good", () => {
    fc.assert(
      fc.property(deliveries, fc.integer({ min: 1, max: 100 }), (delivery, attempts) => {
        const verdict = judge({ attempts, deadline: HOUR, doubt: null }, delivery, 0, 0.5);
        expect(verdict.kind === "retry").toBe(delivery.kind === "unreachable" || delivery.kind === "doubtful");
      }),
    );
  });
});
