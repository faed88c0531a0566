import type { Instant, Item, Spot } from "./spot.ts";

/** Names one playout within a run. */
export type PlayoutId = string;

/** One showing of one item of a spot: it ends shown or failed, once, and is never repeated (G3). */
export interface Playout {
  readonly id: PlayoutId;
  readonly requestId: string;
  /** Counts the spots of a run; playouts of one spot share it. */
  readonly spotNumber: number;
  readonly billable: boolean;
  /** Just before the spot request was sent, on the monotonic clock: the hour of the proof runs from here (F7). */
  readonly requestedAt: Instant;
  readonly item: Item;
}

/** Why a playout was not shown in full. None of these is ever proved (G2). */
export type FailureReason =
  | "unfetchable"
  | "stale"
  | "not-ready"
  | "not-painted"
  | "load-failed"
  | "undecodable"
  | "stalled"
  | "crashed"
  | "hung"
  | "forbidden"
  | "memory"
  | "stopped"
  | "closed"
  | "hidden"
  /** The operator's message or test card took its place. */
  | "overridden";

/** How a playout ended. */
export type PlayoutOutcome =
  | { readonly kind: "shown"; readonly paintedAt: Instant; readonly endedAt: Instant }
  | { readonly kind: "failed"; readonly reason: FailureReason };

/** The playouts of a spot, in running order. */
export function playoutsOf(
  spot: Spot,
  order: readonly Item[],
  spotNumber: number,
  requestedAt: Instant,
): readonly Playout[] {
  return order.map((item) => ({
    id: `${spotNumber}-${item.kind}`,
    requestId: spot.requestId,
    spotNumber,
    billable: spot.billable,
    requestedAt,
    item,
  }));
}
