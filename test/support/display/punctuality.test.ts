import { describe, expect, it } from "vitest";
import { HOUSE, UNDRAWN } from "./eye.ts";
import {
  conclusive,
  inOrder,
  type Punctuality,
  punctualityOf,
  STALL_CEILING_MS,
  STARVED_MS,
  strays,
  timed,
} from "./punctuality.ts";
import { FRAME_MS } from "./recording.ts";
import { excused, HeldUp, heldUp } from "./stalls.ts";

/** Items of these lengths in milliseconds, one after the other from the instant 1,000 on. */
function seen(...lengthsMs: readonly number[]) {
  let startAt = 1_000;
  return lengthsMs.map((lengthMs, index) => {
    const one = { sight: `item-${index}`, firstFrame: 0, frames: 0, startS: startAt / 1000 - 1, startAt, lengthMs };
    startAt += lengthMs;
    return one;
  });
}

const BOUND_MS = 50;

function judged(lengthsMs: readonly number[], stalls: readonly { from: number; to: number }[] = []): Punctuality {
  const durationsMs = lengthsMs.map(() => 2_000);
  return punctualityOf(timed(seen(...lengthsMs), durationsMs, BOUND_MS), stalls);
}
const names = (all: Punctuality["wrong"]) => all.map(({ sight }) => sight);

describe("what is seen between items", () => {
  const plan = ["item-0", "item-2"].map((creative) => ({ creative, durationMs: 2_000 }));
  const between = (strayMs: number, stalls: readonly { from: number; to: number }[] = []) =>
    punctualityOf(inOrder(seen(2_000, strayMs, 2_000, 700), plan, BOUND_MS), stalls);

  it("is wrong, however short it was", () => {
    expect(names(between(17).wrong)).toEqual(["item-1"]);
  });

  it("says nothing where the machine stood still just before, and is never excused", () => {
    expect(between(40, [{ from: 2_970, to: 3_000 }])).toMatchObject({ wrong: [], inconclusive: [{}], excusedMs: 0 });
    expect(between(400, [{ from: 2_950, to: 3_050 }])).toMatchObject({ wrong: [], inconclusive: [{}] });
    expect(between(400, [{ from: 2_500, to: 2_900 }])).toMatchObject({ wrong: [{}], inconclusive: [] });
  });

  it("is wrong, whatever stood still, where it is black, white or empty: a stall leaves in sight what there was", () => {
    const stall = [{ from: 2_900, to: 3_100 }];
    for (const sight of UNDRAWN) {
      const order = inOrder(
        seen(2_000, 17, 2_000).map((one) => ({ ...one, ...(one.lengthMs === 17 && { sight }) })),
        plan,
        50,
      );
      expect(punctualityOf(order, stall)).toMatchObject({ wrong: [{ sight }], inconclusive: [] });
    }
  });

  it("leaves the items their lengths; what comes before the first and after the last is not judged", () => {
    const two = ["item-1", "item-3"].map((creative) => ({ creative, durationMs: 2_000 }));
    const items = inOrder(seen(500, 2_000, 30, 2_000, 900), two, BOUND_MS);
    expect(items.map(({ sight, durationMs, boundMs }) => [sight, durationMs, boundMs])).toEqual([
      ["item-1", 2_000, 50],
      ["item-2", 0, 0],
      ["item-3", 2_000, 50],
    ]);
  });
});

describe("house content between items that are judged by sight", () => {
  const plan = ["item-0", "item-2"].map((creative) => ({ creative, durationMs: 2_000 }));
  const between = (sight: string, strayMs: number, stall: { from: number; to: number }) =>
    strays(
      seen(3_000, strayMs, 2_000).map((one) => (one.sight === "item-1" ? { ...one, sight } : one)),
      plan,
      [stall],
    ).inconclusive.map((one) => one.sight);

  it("says nothing where the machine stood still for as long while the next item was got ready", () => {
    expect(between(HOUSE, 400, { from: 1_500, to: 1_900 })).toEqual([HOUSE]);
    expect(between(HOUSE, 400, { from: 1_500, to: 1_899 })).toEqual([]);
    expect(between(HOUSE, 400, { from: 500, to: 1_399 })).toEqual([]);
    expect(between(HOUSE, 17, { from: 1_500, to: 1_500 + STARVED_MS })).toEqual([HOUSE]);
    expect(between(HOUSE, 17, { from: 1_500, to: 1_499 + STARVED_MS })).toEqual([]);
  });

  it("says nothing where it stood still just before, as of items that are timed", () => {
    expect(between(HOUSE, 400, { from: 3_900, to: 4_050 })).toEqual([HOUSE]);
  });

  it("is what it is where it is no house content: another item is not shown because the next one is late", () => {
    for (const sight of ["item-7", ...UNDRAWN]) expect(between(sight, 400, { from: 1_500, to: 2_500 })).toEqual([]);
  });
});

describe("an item's length", () => {
  it("is right within its bound, and wrong beyond it where no stall touched it", () => {
    expect(names(judged([2_050, 1_951, 2_000]).wrong)).toEqual([]);
    expect(names(judged([2_000, 2_051, 1_949]).wrong)).toEqual(["item-1", "item-2"]);
  });

  it("is not excused by a stall in the middle of it, or beside another item", () => {
    expect(names(judged([2_080, 2_000], [{ from: 1_500, to: 1_700 }]).wrong)).toEqual(["item-0"]);
    expect(names(judged([2_000, 2_000, 2_080], [{ from: 2_950, to: 3_050 }]).wrong)).toEqual(["item-2"]);
  });

  it("is not excused by a stall at its other end: what began late is too short, not too long", () => {
    expect(names(judged([2_000, 2_080, 2_000], [{ from: 2_960, to: 3_000 }]).wrong)).toEqual(["item-1"]);
    expect(names(judged([2_000, 1_920, 2_000], [{ from: 4_880, to: 4_920 }]).wrong)).toEqual(["item-1"]);
    expect(names(judged([2_000, 1_920, 2_000], [{ from: 2_960, to: 3_000 }]).wrong)).toEqual([]);
  });

  it("is excused by as much stall as came just before its end and by the wait for the next refresh, not by more", () => {
    const lengthMs = 2_080 + FRAME_MS;
    expect(names(judged([lengthMs, 2_000], [{ from: 3_000, to: 3_031 }]).wrong)).toEqual([]);
    expect(names(judged([lengthMs, 2_000], [{ from: 3_000, to: 3_029 }]).wrong)).toEqual(["item-0"]);
    expect(names(judged([lengthMs - 29, 2_000]).wrong)).toEqual(["item-0"]);
  });

  it("says nothing where the machine stood still just before for as long as it may be off, however much later it is", () => {
    const until = { to: 3_000 + BOUND_MS };
    expect(judged([2_400, 2_000], [{ from: 3_000, ...until }])).toMatchObject({ wrong: [], inconclusive: [{}] });
    expect(judged([2_400, 2_000], [{ from: 3_001, ...until }])).toMatchObject({ wrong: [{}], inconclusive: [] });
  });

  it("says nothing beyond the ceiling; an item that is right all the same stays right", () => {
    const stall = [{ from: 3_000, to: 3_260 }];
    const beyond = 2_050 + STALL_CEILING_MS + 1;
    expect(judged([beyond, 2_000], stall)).toMatchObject({ wrong: [], inconclusive: [{ sight: "item-0" }] });
    expect(judged([beyond - 1, 2_000], stall)).toMatchObject({ wrong: [], inconclusive: [] });
    expect(judged([2_400, 2_000], stall)).toMatchObject({ wrong: [], inconclusive: [{ sight: "item-0" }] });
    expect(judged([2_010, 2_000], [{ from: 2_700, to: 3_000 }])).toMatchObject({ wrong: [], inconclusive: [] });
  });
});

describe("the drift of items", () => {
  it("is what their beginnings moved by, small errors that add up", () => {
    expect(judged([2_040, 2_040, 2_040, 2_000]).driftMs).toBe(120);
    expect(judged([2_040, 1_960, 2_000]).driftMs).toBe(0);
  });

  it("leaves out what a stall excuses, and nothing else", () => {
    const stall = [{ from: 3_000, to: 3_080 }];
    expect(judged([2_080, 2_000, 2_000], stall).driftMs).toBe(0);
    expect(judged([2_080, 2_040, 2_040, 2_000], stall).driftMs).toBe(80);
    expect(judged([2_080, 1_960, 1_960, 1_960, 1_960, 2_000], stall).driftMs).toBe(80);
  });
});

describe("the stalls of a recording", () => {
  it("are those that were noted and the recorder's own late grabs, joined where they overlap", () => {
    const instants = [0, FRAME_MS, 2 * FRAME_MS, 2 * FRAME_MS + 100, 3 * FRAME_MS + 100];
    expect(heldUp([{ from: 40, to: 60 }], instants)).toEqual([{ from: 40, to: 2 * FRAME_MS + 100 }]);
    expect(heldUp([{ from: 5, to: 9 }], instants)).toEqual([
      { from: 5, to: 9 },
      { from: 3 * FRAME_MS, to: 2 * FRAME_MS + 100 },
    ]);
  });

  it("are none where each grab came in its turn, give or take half a frame", () => {
    expect(heldUp([], [0, 20, 33, 58, 68])).toEqual([]);
  });
});

describe("a scenario that says nothing", () => {
  const stalled = judged([2_400, 2_000], [{ from: 3_000, to: 3_400 }]);
  const good = judged([2_000, 2_000]);
  const outcomes = (...all: readonly (Punctuality | Error)[]) => {
    const calls: string[] = [];
    const run = async () => {
      const outcome = all[calls.push("run") - 1 - calls.filter((call) => call === "clear").length];
      if (outcome instanceof Error) throw outcome;
      return outcome as Punctuality;
    };
    return { calls, result: conclusive("a test", run, async () => void calls.push("clear")) };
  };

  it("is cleared away and run once more", async () => {
    const { calls, result } = outcomes(stalled, good);
    expect(await result).toBe(good);
    expect(calls).toEqual(["run", "clear", "run"]);
  });

  it("is an error with its name the second time", async () => {
    await expect(outcomes(stalled, stalled).result).rejects.toThrow("a test: inconclusive twice");
  });

  it("is one in which something did not come, where the machine stood still in one go for so long that items fail", async () => {
    const missed = new Error("the proofs did not come within 90000 ms");
    expect(
      excused(missed, [
        { from: 5, to: 995 },
        { from: 2_000, to: 2_990 },
      ]),
    ).toBe(missed);
    const held = excused(missed, [{ from: 5, to: 1_105 }]);
    expect(held).toBeInstanceOf(HeldUp);
    expect(held.message).toBe("the proofs did not come within 90000 ms, and the machine stood still for 1100 ms");
    expect(await outcomes(held, good).result).toBe(good);
    await expect(outcomes(held, held).result).rejects.toThrow("a test: inconclusive twice: the proofs did not");
    await expect(outcomes(missed, good).result).rejects.toBe(missed);
  });

  it("is not what was wrong: that is never run again", async () => {
    const wrong = judged([2_080, 2_000]);
    const { calls, result } = outcomes(wrong);
    expect([await result, calls]).toEqual([wrong, ["run"]]);
  });
});
