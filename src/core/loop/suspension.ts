import type { FailureReason } from "../playout.ts";

/** Why a screen is suspended: it shows no spots and asks for none. */
export type SuspendReason = "closed" | "hours-awaited" | "hidden" | "switched-off" | "overridden";

/** What a suspension does to the item on air, why what waits is not shown, and whether the screen is blanked meanwhile. */
interface Suspension {
  /** The item on air ends at once and unproved; otherwise it has its whole duration, and its proof. */
  readonly cutsShort: boolean;
  readonly failure: FailureReason;
  /** `blank`: not even house content is visible. `show`: not blanked, whatever other reasons there are. */
  readonly blanking: "blank" | "show" | "unchanged";
}

const SUSPENSIONS: Readonly<Record<SuspendReason, Suspension>> = {
  /** Outside opening hours those who are still there see the item to its end. */
  closed: { cutsShort: false, failure: "closed", blanking: "blank" },
  /** At the start, where it is not known yet whether the screen is closed. */
  "hours-awaited": { cutsShort: false, failure: "closed", blanking: "unchanged" },
  /** Nobody can see the screen: what is hidden is never proved (G2). */
  hidden: { cutsShort: true, failure: "hidden", blanking: "unchanged" },
  /** The operator has switched the display off. */
  "switched-off": { cutsShort: true, failure: "hidden", blanking: "blank" },
  /** The operator's message or test card lies over everything, and is to be seen at any hour. */
  overridden: { cutsShort: true, failure: "overridden", blanking: "show" },
};

/** Adds a reason, once. */
export function suspended(reasons: readonly SuspendReason[], because: SuspendReason): readonly SuspendReason[] {
  return reasons.includes(because) ? reasons : [...reasons, because];
}

/** Takes a reason away; the screen plays again when none is left. */
export function resumed(reasons: readonly SuspendReason[], because: SuspendReason): readonly SuspendReason[] {
  return reasons.filter((reason) => reason !== because);
}

/** Why what waits is dropped, or `null` while the screen is not suspended. */
export function dropReason([first]: readonly SuspendReason[]): FailureReason | null {
  return first === undefined ? null : SUSPENSIONS[first].failure;
}

/** Why the item on air is cut short, or `null` when it is not. */
export function cutReason(reasons: readonly SuspendReason[]): FailureReason | null {
  const cutting = reasons.find((reason) => SUSPENSIONS[reason].cutsShort);
  return cutting === undefined ? null : SUSPENSIONS[cutting].failure;
}

/** Whether the screen is blanked once nothing is on air, instead of showing house content. */
export function isBlanked(reasons: readonly SuspendReason[]): boolean {
  const effects = reasons.map((reason) => SUSPENSIONS[reason].blanking);
  return effects.includes("blank") && !effects.includes("show");
}
