import { type Instant, LONGEST_ITEM_MS } from "../../core/spot.ts";
import type { LedgerSpot } from "../spot/ledger.ts";
import { PROOF_WINDOW_MS } from "../spot/proof.ts";
import { durationOf } from "./playing.ts";
import { type Audited, isProved, type Violation } from "./violation.ts";

const HOUR_MS = 3_600_000;
/** How much more than an hour's slots may be asked for in an hour (G5). */
const MOST_OF_AN_HOUR = 1.1;
/** One spot is on the air when the hour begins, and one waits when it ends (G4). */
const SPOTS_IN_HAND = 2;
/** A spot without items is asked for again soon, but not at once (G6). */
const EMPTY_SLOT_MS = 1_000;
/** Fewer of the items that were served are proved only where something is wrong. */
const LOWEST_PROOF_RATE = 0.9;
/** With fewer items than this one failure would look like a habit. */
const FEWEST_ITEMS = 10;

/** Hours in which a screen asked for more spots than it can have shown; each is told of once. */
export function overRequests(
  items: readonly (readonly Audited[])[],
  spots: readonly LedgerSpot[],
  amount: number,
): Violation[] {
  const slotsMs = items.map(slotMs);
  const found: Violation[] = [];
  let [oldest, askedMs, quietUntil] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const [index, spot] of spots.entries()) {
    const lengthMs = slotsMs[index] ?? 0;
    askedMs += lengthMs;
    while ((spots[oldest]?.issuedAt ?? spot.issuedAt) <= spot.issuedAt - HOUR_MS) askedMs -= slotsMs[oldest++] ?? 0;
    const mostMs = Math.max(1, amount) * (HOUR_MS * MOST_OF_AN_HOUR + SPOTS_IN_HAND * lengthMs);
    if (askedMs <= mostMs || spot.issuedAt < quietUntil) continue;
    quietUntil = spot.issuedAt + HOUR_MS;
    const detail = `${index - oldest + 1} spots, ${Math.round(askedMs / 1000)} s to show, were asked for within an hour`;
    const { issuedAt: at, screenId, requestId } = spot;
    found.push({ name: "over-requesting", at, screenId, requestId, kind: null, detail });
  }
  return found;
}

/** A screen that leaves more than a tenth of its items unproved; only those whose hour is over count. */
export function lowProofRate(screenId: string, spots: readonly (readonly Audited[])[], now: Instant): Violation[] {
  const playable = spots.flatMap((items) => items.filter((audited) => isPlayable(audited, items)));
  const over = playable.filter(({ spot }) => now - spot.issuedAt > PROOF_WINDOW_MS);
  const proved = over.filter(isProved).length;
  const last = over.at(-1);
  if (last === undefined || over.length < FEWEST_ITEMS || proved / over.length >= LOWEST_PROOF_RATE) return [];
  const detail = `${proved} of ${over.length} items were proved within their hour`;
  const at = last.spot.issuedAt + PROOF_WINDOW_MS;
  return [{ name: "low-proof-rate", at, screenId, requestId: null, kind: null, detail }];
}

function slotMs(items: readonly Audited[]): number {
  const playable = items.filter((audited) => isPlayable(audited, items));
  return playable.reduce((sum, audited) => sum + durationOf(audited, items), 0) || EMPTY_SLOT_MS;
}

/** An item without a duration that makes sense is not to be played (F18). */
function isPlayable(audited: Audited, items: readonly Audited[]): boolean {
  const durationMs = durationOf(audited, items);
  return durationMs > 0 && durationMs <= LONGEST_ITEM_MS;
}
