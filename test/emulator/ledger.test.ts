import { describe, expect, it } from "vitest";
import {
  enter,
  type LedgerSpot,
  MOST_RECORDS,
  MOST_SPOTS,
  newLedger,
  provePlay,
  recordMedia,
} from "../../src/emulator/spot/ledger.ts";

function spot(number: number, url = "http://m/a.png"): LedgerSpot {
  const ad = { id: "a", url, popPath: `/pop/${number}`, shownAt: 0, media: [], pops: [] };
  return { requestId: String(number), screenId: "s", issuedAt: 0, newsFirst: true, billable: true, news: null, ad };
}

describe("the ledger's limits", () => {
  it("keep a stated number of spots, the newest, and forget the proof-of-play URLs of the others", () => {
    const ledger = newLedger();
    for (let number = 0; number < MOST_SPOTS + 2; number += 1) enter(ledger, spot(number, `http://m/${number}.png`));

    expect(ledger.spots.size).toBeLessThanOrEqual(MOST_SPOTS);
    expect(ledger.spots.size).toBeGreaterThan(0.95 * MOST_SPOTS);
    expect([ledger.pops.size, ledger.latest.size]).toEqual([ledger.spots.size, ledger.spots.size]);
    const [oldest] = ledger.spots.keys();
    const verdicts = [Number(oldest) - 1, oldest, MOST_SPOTS + 1].map(
      (one) => provePlay(ledger, `/pop/${one}`, 1).verdict,
    );
    expect(verdicts).toEqual(["unknown", "counted", "counted"]);
  });

  it("keep a stated number of records for an item, the accepted proof among them whatever came before", () => {
    const ledger = newLedger();
    const entry = spot(1);
    enter(ledger, entry);
    for (let call = 0; call < MOST_RECORDS + 5; call += 1) {
      provePlay(ledger, "/pop/1", 3_600_001);
      recordMedia(ledger, "http://m/a.png", 0);
    }

    expect(provePlay(ledger, "/pop/1", 1).verdict).toBe("counted");
    expect(provePlay(ledger, "/pop/1", 1).verdict).toBe("duplicate");
    expect(entry.ad?.pops).toHaveLength(MOST_RECORDS + 1);
    expect(entry.ad?.media).toHaveLength(MOST_RECORDS);
  });
});
