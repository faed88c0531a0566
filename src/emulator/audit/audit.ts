import type { Instant } from "../../core/spot.ts";
import type { LedgerSpot } from "../spot/ledger.ts";
import type { OddPop } from "./odd-pops.ts";
import { overlaps, wrongOrders } from "./playing.ts";
import { popsOf } from "./pops.ts";
import { lowProofRate, overRequests } from "./rates.ts";
import { type AuditFacts, itemsOf, type Violation } from "./violation.ts";

/** The most violations told of; the newest. */
export const MOST_VIOLATIONS = 1_000;

/** What a network would complain about, oldest first; none when the players were honest. */
export function audit({ spots, oddPops, now, amountOf }: AuditFacts): Violation[] {
  const spoilt = spoiltPops(oddPops);
  const found = [...alteredPops(oddPops)];
  for (const [screenId, served] of byScreen(spots)) {
    const items = served.map((spot) => itemsOf(spot, spoilt));
    const amount = amountOf(screenId);
    found.push(...items.flat().flatMap(popsOf), ...items.flatMap(wrongOrders));
    // Several players take turns with the spots of one screen.
    if (amount <= 1) found.push(...overlaps(items));
    found.push(...overRequests(items, served, amount), ...lowProofRate(screenId, items, now));
  }
  return found.sort((one, other) => one.at - other.at).slice(-MOST_VIOLATIONS);
}

/** Proof-of-play URLs that no spot has (F10). */
function alteredPops(oddPops: readonly OddPop[]): Violation[] {
  const altered = oddPops.filter(({ kind }) => kind === "altered");
  return altered.map(({ at, path }) => {
    const detail = `no spot has the proof-of-play URL ${path.slice(0, 100)}`;
    return { name: "altered-pop", at, screenId: null, requestId: null, kind: null, detail };
  });
}

/** When faults got in the way of proofs, by path and query of the URL. */
function spoiltPops(oddPops: readonly OddPop[]): ReadonlyMap<string, readonly Instant[]> {
  const spoilt = new Map<string, Instant[]>();
  for (const { kind, path, at } of oddPops) {
    if (kind === "spoilt") spoilt.set(path, [...(spoilt.get(path) ?? []), at]);
  }
  return spoilt;
}

function byScreen(spots: readonly LedgerSpot[]): ReadonlyMap<string, readonly LedgerSpot[]> {
  const screens = new Map<string, LedgerSpot[]>();
  for (const spot of spots) {
    const served = screens.get(spot.screenId);
    if (served === undefined) screens.set(spot.screenId, [spot]);
    else served.push(spot);
  }
  return screens;
}
