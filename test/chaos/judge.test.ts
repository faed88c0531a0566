import { describe, expect, it } from "vitest";
import type { ListedProof } from "../../src/player/proofs/proof-archive.ts";
import { type Evidence, judge } from "./judge.ts";

const START = Date.UTC(2026, 0, 1);

/** One ad of a second, painted at the start, committed, delivered and counted just after its end. */
function evidence(changes: Partial<Evidence> = {}): Evidence {
  return {
    told: [
      { what: "cued", whole: true },
      { what: "painted", requestId: "r", kind: "ad", at: START, durationMs: 1_000 },
      { what: "shown", requestId: "r", kind: "ad" },
    ],
    proofs: [{ requestId: "r", kind: "ad", state: "delivered" } as ListedProof],
    ledger: ledger(1_010),
    ...{ audit: [], killedAt: [START + 2_000], unsound: [] },
    ...changes,
  };
}

function ledger(...after: readonly number[]): Evidence["ledger"] {
  const pops = after.map((ms, index) => {
    const verdict = index === 0 ? "counted" : "duplicate";
    return { at: new Date(START + ms).toISOString(), status: 200, verdict };
  });
  return [{ requestId: "r", news: null, ad: { pops } }];
}

describe("the judge of a chaos run", () => {
  it("has nothing against a proof that came once, after its item", () => {
    expect(judge(evidence())).toMatchObject({ shown: 1, proved: 1, violations: [] });
  });

  it("allows a second call with a kill in between", () => {
    expect(judge(evidence({ ledger: ledger(1_010, 3_000) }))).toMatchObject({ duplicates: 1, violations: [] });
  });

  it.each<[string, Partial<Evidence>]>([
    ["an item that was shown and is not in the store", { proofs: [] }],
    ["a proof that expired", { proofs: [{ requestId: "r", kind: "ad", state: "expired" } as ListedProof] }],
    ["a proof that the network has not counted", { ledger: ledger() }],
    ["a proof that came before the end of its item", { ledger: ledger(900) }],
    ["a proof of what was never on the stage", { told: [] }],
    ["a second call without a kill", { ledger: ledger(1_010, 1_500) }],
    ["two second calls by one kill", { ledger: ledger(1_010, 3_000, 3_001) }],
    ["a broken file on a deck", { told: [...evidence().told, { what: "cued", whole: false }] }],
    ["a database that is not sound", { unsound: ["proofs.db: row missing"] }],
    ["what the auditor calls a late proof", { audit: [{ violation: "late-pop", detail: "61 minutes" }] }],
  ])("finds %s", (_, changes) => {
    expect(judge(evidence(changes)).violations.length).toBeGreaterThan(0);
  });
});
