import { describe, expect, it } from "vitest";
import { type Evidence, endIn, judge } from "./judge.ts";

const START = Date.UTC(2026, 0, 1);
const SHOWN = "08:00:01.000 INFO  item shown playout=1-ad requestId=r kind=ad item=car_a durationMs=1000";
const FAILED =
  "08:00:01.000 WARN  item failed playout=1-ad requestId=r kind=ad item=car_a durationMs=1000 reason=stalled";

/** One ad that was shown, kept, delivered and counted; the power went ten seconds later. */
function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    ...{ told: [SHOWN], proofs: [proof("delivered")], ledger: ledger(1_010) },
    ...{ audit: [], endedAt: [START + 10_000], flaws: [] },
    ...changes,
  };
}

function proof(state: "delivered" | "owed" | "expired"): Evidence["proofs"][number] {
  return { requestId: "r", kind: "ad", state };
}

function ledger(...after: readonly number[]): Evidence["ledger"] {
  const pops = after.map((ms, index) => {
    const verdict = index === 0 ? "counted" : "duplicate";
    return { at: new Date(START + ms).toISOString(), status: 200, verdict };
  });
  return [{ requestId: "r", news: null, ad: { pops } }];
}

describe("the judge of a boot test", () => {
  it("has nothing against a proof that came once", () => {
    expect(judge(evidence())).toMatchObject({ shown: 1, counted: 1, lost: 0, falseProofs: 0, violations: [] });
  });

  it("allows a second call where the power went in between, and a proof whose line was lost with it", () => {
    const changes = { told: [], ledger: ledger(1_010, 70_000) };
    expect(judge(evidence(changes))).toMatchObject({ shown: 0, duplicates: 1, violations: [] });
  });

  it("does not hold the auditor's words about repeats and about what was not shown against a machine without power", () => {
    const audit = ["duplicate-after-success", "low-proof-rate"].map((violation) => ({ violation, detail: "" }));
    expect(judge(evidence({ audit })).violations).toEqual([]);
  });

  it.each<[string, Partial<Evidence>, Partial<ReturnType<typeof judge>>]>([
    ["an item that was shown and is not on the disk, though counted", { proofs: [] }, { lost: 1 }],
    ["a proof that is still owed", { proofs: [proof("owed")] }, { lost: 1 }],
    ["a proof that the network has not counted", { ledger: ledger() }, { lost: 1 }],
    ["a proof of what is not on the disk", { told: [], proofs: [] }, { falseProofs: 1 }],
    ["a proof of what failed", { told: [FAILED] }, { falseProofs: 1 }],
    ["a second call without such an end", { ledger: ledger(1_010, 5_000) }, { duplicates: 1 }],
    ["a broken file that was cued", { told: [SHOWN, FAILED.replace("stalled", "undecodable")] }, { broken: 1 }],
    ["a database that is not sound", { flaws: ["after cut 1: proofs.db: row missing"] }, { broken: 1 }],
    ["what the auditor calls a late proof", { audit: [{ violation: "late-pop", detail: "61 minutes" }] }, {}],
  ])("finds %s", (_, changes, found) => {
    const verdicts = judge(evidence(changes));
    expect(verdicts).toMatchObject(found);
    expect(verdicts.violations.length).toBeGreaterThan(0);
  });
});

describe("a line of the player's journal", () => {
  it("says how an item ended", () => {
    expect(endIn(SHOWN)).toEqual({ key: "r ad", failed: null });
    expect(endIn(FAILED)).toEqual({ key: "r ad", failed: "stalled" });
  });

  it.each([
    "",
    "08:00:01.000 INFO  player started config=/etc/spotloop/config.json screen=item shown",
    "08:00:01.000 INFO  item shown playout=1-ad requ",
  ])("says nothing of an item's end with %j", (line) => {
    expect(endIn(line)).toBeNull();
  });
});
