import type { ViewedItem, ViewedSpot } from "../control/dashboard-view.ts";

/** A stretch of time in which a screen showed something, as far as can be told from outside. */
export interface Stretch {
  readonly kind: ViewedItem["kind"];
  readonly name: string;
  readonly from: number;
  readonly to: number;
  /** Not proved yet: it should be on now. */
  readonly going: boolean;
}

/** How much longer than its duration an unproved item is thought to be on: a proof takes its time. */
const PATIENCE_MS = 10_000;

/**
 * What a screen showed, oldest first. A proved item ended when its proof came; the first item after the last proof is
 * taken to be on now, until its duration is well over.
 */
export function stretches(spots: readonly ViewedSpot[], now: number): Stretch[] {
  const items = spots.flatMap(({ issuedAt, items }) => items.map((item) => ({ ...item, issuedAt })));
  const proved: Stretch[] = items.flatMap(({ kind, name, durationMs, provedAt }) =>
    provedAt === null ? [] : [{ kind, name, from: provedAt - durationMs, to: provedAt, going: false }],
  );
  proved.sort((one, other) => one.to - other.to);
  const last = items.findLastIndex(({ provedAt }) => provedAt !== null);
  const next = items[last + 1];
  if (next === undefined) return proved;
  const from = Math.max(next.issuedAt, proved.at(-1)?.to ?? next.issuedAt);
  if (now - from > next.durationMs + PATIENCE_MS) return proved;
  return [...proved, { kind: next.kind, name: next.name, from, to: Math.max(now, from), going: true }];
}
