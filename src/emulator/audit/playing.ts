import type { Instant } from "../../core/spot.ts";
import { type Audited, about, firstTried, isProved, type Violation } from "./violation.ts";

/** A spot whose second item was proved before its first; `items` in the order in which they were to be shown. */
export function wrongOrders([first, second]: readonly Audited[]): Violation[] {
  if (first === undefined || second === undefined || !isProved(first) || !isProved(second)) return [];
  const at = firstTried(second);
  const earlyMs = firstTried(first) - at;
  if (earlyMs <= 0) return [];
  return [about(second, "wrong-order", at, `${earlyMs} ms before the ${first.kind}, which was to be shown first`)];
}

/**
 * Items that were proved before they can have ended, had their spots been shown one after another in the order in which
 * they were issued. Counts only what was proved, so that whatever was skipped or failed takes no time.
 */
export function overlaps(spots: readonly (readonly Audited[])[]): Violation[] {
  const found: Violation[] = [];
  let freeFrom: Instant = Number.NEGATIVE_INFINITY;
  for (const items of spots) {
    const proved = items.filter(isProved);
    let end = Math.max(freeFrom, proved[0]?.spot.issuedAt ?? freeFrom);
    for (const audited of proved) {
      end += durationOf(audited, items);
      const at = firstTried(audited);
      if (at >= end) continue;
      // Too early for its own spot is another violation, and named so.
      if (at >= audited.item.shownAt) {
        found.push(
          about(audited, "overlap", at, `${end - at} ms before the spot before it and this can both have ended`),
        );
      }
      // What comes after is measured against what this player says it did, or one overlap would be many.
      end = at;
    }
    freeFrom = end;
  }
  return found;
}

/** The ledger has the instants at which the items can first have ended, one after the other. */
export function durationOf({ item, spot }: Audited, items: readonly Audited[]): number {
  const before = items[items.findIndex((other) => other.item === item) - 1]?.item.shownAt ?? spot.issuedAt;
  return item.shownAt - before;
}
