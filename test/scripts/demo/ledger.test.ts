import { describe, expect, it } from "vitest";
import { type LedgerSpot, news, outcome } from "../../../scripts/demo/ledger.ts";

const item = (id: string, ...verdicts: string[]) => ({
  id,
  url: `http://127.0.0.1/${id}.mp4`,
  pops: verdicts.map((verdict) => ({ verdict })),
});
const spot = (changes: Partial<LedgerSpot> = {}): LedgerSpot => ({
  requestId: "r",
  newsFirst: true,
  news: item("news"),
  ad: item("ad"),
  state: "open",
  ...changes,
});
const proved = spot({ state: "proved" });

describe("what the demo tells of the ledger", () => {
  it("is each new spot, with its items in the order in which they are shown", () => {
    expect(news([], [spot({ newsFirst: false })])).toEqual([
      { kind: "issued", spot: 1, items: [item("ad"), item("news")] },
    ]);
  });

  it("is each proof once", () => {
    const before = [spot()];
    const after = [spot({ news: item("news", "counted") })];
    expect(news(before, after)).toEqual([{ kind: "proved", spot: 1, item: item("news", "counted") }]);
    expect(news(after, after)).toEqual([]);
  });

  it("is each proof that does not count, with the network's verdict", () => {
    const after = [spot({ ad: item("ad", "early") })];
    expect(news([spot()], after)).toEqual([{ kind: "refused", spot: 1, item: item("ad", "early"), verdict: "early" }]);
  });

  it("is a spot without an ad, too", () => {
    expect(news([], [spot({ ad: null })])).toEqual([{ kind: "issued", spot: 1, items: [item("news")] }]);
  });
});

describe("the demo's end", () => {
  it("is open while there are fewer spots than wanted, or one of them is not proved", () => {
    expect(outcome([], 1)).toBeNull();
    expect(outcome([proved], 2)).toBeNull();
    expect(outcome([proved, spot()], 2)).toBeNull();
  });

  it("is good when all the wanted spots are proved, whatever comes after them", () => {
    expect(outcome([proved, proved, spot()], 2)).toEqual({ kind: "proved" });
  });

  it("is bad when one has lapsed", () => {
    expect(outcome([proved, spot({ state: "lapsed" })], 2)).toMatchObject({
      kind: "failed",
      reason: "spot 2 was not proved within the hour",
    });
  });

  it("is bad when one was left out: a spot two later is proved already", () => {
    expect(outcome([spot(), proved], 2)).toBeNull();
    expect(outcome([spot(), proved, proved], 2)).toMatchObject({
      kind: "failed",
      reason: expect.stringContaining("spot 1"),
    });
  });

  it("never comes by itself when no number was asked for", () => {
    expect(outcome([proved, proved], Number.POSITIVE_INFINITY)).toBeNull();
  });
});
