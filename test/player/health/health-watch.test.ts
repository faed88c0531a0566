import { describe, expect, it } from "vitest";
import { playoutsOf } from "../../../src/core/spot.ts";
import { HealthWatch, isShutOut } from "../../../src/player/health/health-watch.ts";
import { createMetrics } from "../../../src/player/health/metrics.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { anItem, aSpot } from "../../support/player/spots.ts";

const [clip, other] = playoutsOf(aSpot(), [anItem("ad", { id: "clip" }), anItem("news", { id: "other" })], 1, 0);

function watch(): HealthWatch {
  return new HealthWatch(new ManualClock(), createMetrics().of("screen"));
}

describe("the last error of a screen", () => {
  it("names the codec of a clip that cannot be decoded, as whatever else its deck said (F24)", () => {
    const health = watch();
    if (clip === undefined) throw new Error("no playout");
    health.noteFailure(clip, "HEVC, AAC: no supported streams");
    health.noteSettled(clip, { kind: "failed", reason: "undecodable" });
    expect(health.report().lastError).toBe("ad clip failed: undecodable (HEVC, AAC: no supported streams)");
  });

  it("says nothing of one item that was said of another", () => {
    const health = watch();
    if (clip === undefined || other === undefined) throw new Error("no playout");
    health.noteFailure(clip, "HEVC");
    health.noteSettled(other, { kind: "failed", reason: "unfetchable" });
    expect(health.report().lastError).toBe("news other failed: unfetchable");
  });

  it("is one line of a bounded length, whatever Chromium says", () => {
    const health = watch();
    if (clip === undefined) throw new Error("no playout");
    health.noteFailure(clip, "x".repeat(100_000));
    health.noteSettled(clip, { kind: "failed", reason: "crashed" });
    expect(health.report().lastError?.length).toBeLessThan(300);
  });
});

describe("a screen that shows nothing", () => {
  it.each([
    ["failing", { kind: "unavailable", reason: "ECONNREFUSED", retryAfterMs: null }],
    ["failing", { kind: "denied", status: 404 }],
    ["starting", { kind: "empty", malformed: [] }],
  ] as const)("is %s after eleven minutes where the service has told as much: %j", async (status, outcome) => {
    const clock = new ManualClock();
    const health = new HealthWatch(clock, createMetrics().of("screen"));
    for (let minute = 0; minute < 11; minute++) {
      await clock.advance(60_000);
      health.noteAsked({ ...outcome, answered: outcome.kind === "empty", serviceTime: null });
    }
    expect(health.report().status).toBe(status);
  });
});

describe("screens that nothing can be had for", () => {
  it("are those that are all denied, or that nobody answers", () => {
    const [one, another] = [watch(), watch()];
    const screens = [{ health: one }, { health: another }];
    expect([isShutOut([]), isShutOut(screens)]).toEqual([false, false]);
    const untimed = { serviceTime: null, retryAfterMs: null, malformed: [] };
    one.noteAsked({ ...untimed, answered: true, kind: "denied", status: 401 });
    expect(isShutOut(screens)).toBe(false);
    another.noteAsked({ ...untimed, answered: false, kind: "unavailable", reason: "ECONNREFUSED" });
    expect(isShutOut(screens)).toBe(true);
    another.noteAsked({ ...untimed, answered: true, kind: "empty" });
    expect(isShutOut(screens)).toBe(false);
  });
});
