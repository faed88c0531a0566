import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  BURST_MS,
  type DataDemand,
  type DataLimits,
  daySpanIn,
  fullBucket,
  LARGE_BYTES,
  ruleDownload,
  takeFrom,
} from "../../../src/core/media/data-budget.ts";

const NOON = 12 * 60;
const demand: DataDemand = { sizeBytes: 1_000, missingBytes: 1_000, usedBytes: 0, minuteOfDay: NOON };

function accepted(changes: Partial<DataDemand>, limits: Partial<DataLimits>) {
  return ruleDownload({ ...demand, ...changes }, { monthlyBytes: null, largeHours: null, ...limits });
}

describe("the data of a month", () => {
  it("suffice where there is no limit", () => {
    expect(accepted({ usedBytes: 1e15 }, {})).toBe("allowed");
  });

  it.each([
    [9_000, 1_000, "allowed"],
    [9_001, 1_000, "over-budget"],
    [9_999, 0, "allowed"],
    [10_000, 0, "over-budget"],
    [10_001, 0, "over-budget"],
  ])("of 10,000 bytes, %i used, with %i to come: %s", (usedBytes, missingBytes, decision) => {
    expect(accepted({ usedBytes, missingBytes }, { monthlyBytes: 10_000 })).toBe(decision);
  });
});

describe("large media", () => {
  const night = { largeHours: daySpanIn("22:00-06:00") };
  const large = { sizeBytes: LARGE_BYTES + 1 };

  it.each([
    ["22:00-06:00", "21:59", "outside-hours"],
    ["22:00-06:00", "22:00", "allowed"],
    ["22:00-06:00", "05:59", "allowed"],
    ["22:00-06:00", "06:00", "outside-hours"],
    ["01:30-02:00", "01:29", "outside-hours"],
    ["01:30-02:00", "01:30", "allowed"],
    ["01:30-02:00", "02:00", "outside-hours"],
    ["00:00-00:00", "12:00", "allowed"],
  ])("in the hours %s, at %s: %s", (hours, time, decision) => {
    const [hour = 0, minute = 0] = time.split(":").map(Number);
    expect(accepted({ ...large, minuteOfDay: hour * 60 + minute }, { largeHours: daySpanIn(hours) })).toBe(decision);
  });

  it("are those of more than 10 MiB, whatever of them has come already", () => {
    expect(accepted({ sizeBytes: LARGE_BYTES }, night)).toBe("allowed");
    expect(accepted({ ...large, missingBytes: 1 }, night)).toBe("outside-hours");
    expect(accepted(large, {})).toBe("allowed");
  });
});

it.each(["", "22-06", "24:00-06:00", "22:60-06:00", "22:00-06:00 "])("%j is no span of the day", (text) => {
  expect(daySpanIn(text)).toBeNull();
});

const RATE = 1_000_000;

describe("a bucket", () => {
  it("gives what is in it at once, and lets what was taken too much be waited for", () => {
    const first = takeFrom(fullBucket(RATE, 0), RATE, RATE, 0);
    expect(first.readyAt).toBe(0);
    expect(takeFrom(first.bucket, RATE / 2, RATE, 0).readyAt).toBe(500);
    expect(takeFrom(first.bucket, RATE / 2, RATE, 500).readyAt).toBe(500);
  });

  it("holds no more than a second's worth, however long nothing was taken", () => {
    expect(takeFrom(fullBucket(RATE, 0), 2 * RATE, RATE, 3_600_000).readyAt).toBe(3_601_000);
  });

  it("keeps to its rate over any time, by whatever amounts: a waiting download takes no more than that and one burst", () => {
    const amounts = fc.array(fc.integer({ min: 1, max: 3 * RATE }), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(amounts, fc.array(fc.nat(2_000)), (taken, pauses) => {
        let [bucket, now, sum] = [fullBucket(RATE, 0), 0, 0];
        taken.forEach((bits, index) => {
          const result = takeFrom(bucket, bits, RATE, now);
          bucket = result.bucket;
          sum += bits;
          now = result.readyAt + (pauses[index] ?? 0);
          expect(sum).toBeLessThanOrEqual((RATE * (result.readyAt + BURST_MS)) / 1_000 + 1);
        });
      }),
    );
  });
});
