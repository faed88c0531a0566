import { describe, expect, it } from "vitest";
import { leadMs, needsRecording, noted, type PageLoads, recorded } from "../../../src/core/media/page-lead.ts";

const GOOD_MS = 10 * 60_000;
const at = 1_000 * GOOD_MS;
const recordedIn = (ms: number) => recorded(null, "one", ms, at);

describe("a page", () => {
  it("is recorded when it is new, when it is another document, and after ten minutes", () => {
    expect(needsRecording(null, "one", at)).toBe(true);
    expect(needsRecording(recordedIn(100), "other", at)).toBe(true);
    expect(needsRecording(recordedIn(100), "one", at + GOOD_MS)).toBe(false);
    expect(needsRecording(recordedIn(100), "one", at + GOOD_MS + 1)).toBe(true);
  });

  it("is recorded when the clock went back: it may be long ago", () => {
    expect(needsRecording(recordedIn(100), "one", at - 1)).toBe(true);
  });

  it("is not recorded for having been seen", () => {
    expect(needsRecording(noted(recordedIn(100), "one", 120), "one", at + GOOD_MS + 1)).toBe(true);
    expect(needsRecording(noted(null, "one", 120), "one", at)).toBe(true);
    expect(needsRecording(noted(recordedIn(100), "other", 120), "other", at)).toBe(true);
  });
});

describe("the load that is to be seen (F22)", () => {
  const seen = (...times: number[]) =>
    times.reduce<PageLoads>((loads, ms) => noted(loads, "one", ms), recordedIn(1_000));

  it("begins as early as it may where nothing is known", () => {
    expect(leadMs(null, 8_000)).toBe(8_000);
    expect(leadMs({ digest: "one", recordedMs: null, seenMs: [], recordedAt: at }, 8_000)).toBe(8_000);
  });

  it("begins by a third earlier than the only load took, and 60 ms", () => {
    expect(leadMs(recordedIn(400), 8_000)).toBe(580);
    expect(leadMs(seen(400), 8_000)).toBe(580);
  });

  it("begins earlier than the longest visible load took by as much as they differ, and 60 ms", () => {
    expect(leadMs(seen(400, 500, 450), 8_000)).toBe(660);
    expect(leadMs(seen(400, 400), 8_000)).toBe(460);
  });

  it("begins by no more than a third earlier for a load that was held up once", () => {
    expect(leadMs(seen(100, 1_000), 8_000)).toBe(1_360);
  });

  it("never begins earlier than it may", () => {
    expect(leadMs(recordedIn(9_000), 8_000)).toBe(8_000);
  });

  it("leaves a page that loads in half a second less than a second old", () => {
    expect(leadMs(recordedIn(500), 8_000)).toBeLessThanOrEqual(1_000);
    expect(leadMs(seen(500), 8_000)).toBeLessThanOrEqual(1_000);
  });

  it("forgets a slow load after five more, and all loads of another document", () => {
    expect(leadMs(seen(5_000, 100, 100, 100, 100), 8_000)).toBe(6_560);
    expect(leadMs(seen(5_000, 100, 100, 100, 100, 100), 8_000)).toBe(160);
    expect(leadMs(recorded(seen(5_000), "other", 100, at), 8_000)).toBe(190);
    expect(leadMs(noted(seen(5_000), "other", 100), 8_000)).toBe(190);
  });

  it("remembers what is seen of a page that is recorded anew, unless it takes longer than it did", () => {
    expect(leadMs(recorded(seen(500, 500), "one", 1_300, at), 8_000)).toBe(560);
    expect(leadMs(recorded(seen(500, 500), "one", 1_400, at), 8_000)).toBe(1_880);
  });
});
