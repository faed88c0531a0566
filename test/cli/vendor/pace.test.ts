import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CALLS_AT_ONCE, forEach, Pace } from "../../../src/cli/vendor/calls.ts";
import { type Answer, ok } from "../../../src/client/answer.ts";

const limited = (retryAfterMs: number | null): Answer<number> => ({ kind: "limited", retryAfterMs });
const down = (done: "no" | "unknown"): Answer<number> => {
  return { kind: "unavailable", reason: "HTTP 500", retryAfterMs: null, done };
};

/** Answers with each of these in turn, and notes when it was asked. */
function service(...answers: readonly Answer<number>[]) {
  const askedAt: number[] = [];
  const ask = async () => {
    askedAt.push(Date.now());
    return answers[Math.min(askedAt.length, answers.length) - 1] ?? ok(0);
  };
  return { ask, askedAt };
}

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

describe("the pace of many calls", () => {
  it("waits as long as the service asks, or half a minute where it does not say", async () => {
    const { ask, askedAt } = service(limited(7_000), limited(null), ok(1));

    const answer = new Pace(new AbortController().signal).call(ask);
    await vi.runAllTimersAsync();

    expect(await answer).toEqual(ok(1));
    expect(askedAt).toEqual([0, 7_000, 37_000]);
  });

  it("lets all wait when one was asked to", async () => {
    const pauses: number[] = [];
    const pace = new Pace(new AbortController().signal, (waitMs) => pauses.push(waitMs));
    const [busy, other] = [service(limited(5_000), ok(1)), service(ok(2))];

    const first = pace.call(busy.ask);
    await vi.advanceTimersByTimeAsync(1);
    const second = pace.call(other.ask);
    await vi.runAllTimersAsync();

    expect([await first, await second]).toEqual([ok(1), ok(2)]);
    expect([busy.askedAt, other.askedAt]).toEqual([[0, 5_000], [5_000]]);
    expect(pauses).toEqual([5_000]);
  });

  it("tries again what came to nothing, three times, later each time", async () => {
    const { ask, askedAt } = service(down("no"));

    const answer = new Pace(new AbortController().signal).call(ask);
    await vi.runAllTimersAsync();

    expect(await answer).toEqual(down("no"));
    expect(askedAt).toEqual([0, 500, 1_500, 3_500]);
  });

  it("does not try again what may have been done", async () => {
    const { ask, askedAt } = service(down("unknown"), ok(1));

    expect(await new Pace(new AbortController().signal).call(ask)).toEqual(down("unknown"));
    expect(askedAt).toEqual([0]);
  });

  it("gives up on a service that asks to wait for ever", async () => {
    const { ask, askedAt } = service(limited(1_000));

    const answer = new Pace(new AbortController().signal).call(ask);
    await vi.runAllTimersAsync();

    expect(await answer).toEqual(limited(1_000));
    expect(askedAt.length).toBe(21);
  });

  it("ends its waits when it is called off, and asks no more", async () => {
    const control = new AbortController();
    const { ask, askedAt } = service(limited(60_000), ok(1));

    const answer = new Pace(control.signal).call(ask);
    await vi.advanceTimersByTimeAsync(1);
    control.abort();

    expect(await answer).toMatchObject({ kind: "unavailable", reason: "called off", done: "no" });
    expect([askedAt, vi.getTimerCount()]).toEqual([[0], 0]);
  });

  it("has so many calls under way and no more, each entry once", async () => {
    const entries = Array.from({ length: 50 }, (_, n) => n);
    const done: number[] = [];
    let [underWay, most] = [0, 0];

    const all = forEach(entries, new AbortController().signal, async (entry) => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setTimeout(resolve, entry % 7));
      underWay--;
      done.push(entry);
    });
    await vi.runAllTimersAsync();
    await all;

    expect(most).toBe(CALLS_AT_ONCE);
    expect(done.sort((one, other) => one - other)).toEqual(entries);
  });
});
