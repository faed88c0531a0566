import { type Backoff, backoffMs } from "./backoff.ts";
import type { PanelState } from "./display-truth.ts";
import type { SuspendReason } from "./loop/suspension.ts";
import type { Instant } from "./spot.ts";

/** How a display is switched (configuration, `display.power`). */
export type PowerMethod = "leave" | "dpms" | "cec" | "ddc";

/** Televisions need about so long from the order to a picture: they are switched on that long before opening. */
export const WARM_UP_MS = 15_000;

/** What a screen's display is to be is decided by this. Instants are monotonic. */
export interface PowerCase {
  /** The screen is black: not even house content is visible. */
  readonly blanked: boolean;
  readonly suspendReasons: readonly SuspendReason[];
  /** Null where that never happens, or is not known. */
  readonly opensAt: Instant | null;
}

/** Whether a screen's display is to be on: while there is something to see, and a while before opening. */
export function wantedPower({ blanked, suspendReasons, opensAt }: PowerCase, now: Instant): "on" | "off" {
  if (!blanked) return "on";
  const opensSoon = opensAt !== null && now >= opensAt - WARM_UP_MS;
  return opensSoon && suspendReasons.every((reason) => reason !== "switched-off") ? "on" : "off";
}

/** What came of an order: `unchecked` where nothing tells whether the display is on. */
export function obedience(wanted: "on" | "off", state: PanelState): "obeys" | "disobeys" | "unchecked" {
  if (state === "unknown") return "unchecked";
  return state === wanted ? "obeys" : "disobeys";
}

/** A display says what it has become only once it has become it. */
export const CHECK_AFTER_MS = 4_000;

/** Between two orders to a display that does not obey: 10 s, then ever longer, up to 10 minutes. */
const AGAIN: Backoff = { firstMs: 10_000, longestMs: 10 * 60_000, exactWaits: Number.POSITIVE_INFINITY };

/** How long after an order in vain the next one is given; `tries` counts those in vain, from 1. */
export function againMs(tries: number): number {
  return backoffMs(AGAIN, tries, 0);
}

/** An order in vain is an error of the display's, not of its slowness, after so many of them. */
export const TRIES_BEFORE_TROUBLE = 2;
