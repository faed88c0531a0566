import type { FailureReason } from "./playout.ts";

/** Why a screen shows no spots for a while and asks for none. */
export type RestReason = "closed" | "hours-awaited" | "sight-lost";

/** What a rest does to the item on air, why what waits is not shown, and whether nothing at all is in sight meanwhile. */
interface Rest {
  /** The item on air ends at once and unproved; otherwise it has its whole duration, and its proof. */
  readonly cutsShort: boolean;
  readonly failure: FailureReason;
  readonly dark: boolean;
}

const RESTS: Readonly<Record<RestReason, Rest>> = {
  /** Outside opening hours whoever is still there sees the item to its end. */
  closed: { cutsShort: false, failure: "closed", dark: true },
  /** At the start, where it is not known yet whether the screen is closed. */
  "hours-awaited": { cutsShort: false, failure: "closed", dark: false },
  /** Nobody can see the screen: what is hidden is never proved (G2). */
  "sight-lost": { cutsShort: true, failure: "hidden", dark: false },
};

/** Adds a reason to rest, once. */
export function resting(reasons: readonly RestReason[], because: RestReason): readonly RestReason[] {
  return reasons.includes(because) ? reasons : [...reasons, because];
}

/** Takes a reason away; the screen is roused when none is left. */
export function roused(reasons: readonly RestReason[], because: RestReason): readonly RestReason[] {
  return reasons.filter((reason) => reason !== because);
}

/** Why what waits is dropped, or `null` while the screen does not rest. */
export function dropReason([first]: readonly RestReason[]): FailureReason | null {
  return first === undefined ? null : RESTS[first].failure;
}

/** Why the item on air is cut short, or `null` when it is not. */
export function cutReason(reasons: readonly RestReason[]): FailureReason | null {
  const cutting = reasons.find((reason) => RESTS[reason].cutsShort);
  return cutting === undefined ? null : RESTS[cutting].failure;
}

/** Whether the screen is dark once nothing is on air, instead of showing house content. */
export function isDark(reasons: readonly RestReason[]): boolean {
  return reasons.some((reason) => RESTS[reason].dark);
}
