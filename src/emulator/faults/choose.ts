import type { ItemKind } from "../../core/spot.ts";
import { type Dice, draw } from "../random.ts";
import type { Fault, FaultMatch } from "./schema.ts";

/** What a rule can look at in a call; `null` where a call has no such thing. */
export interface FaultSubject {
  readonly surface: "service" | "media";
  readonly route: string | null;
  readonly screenId: string | null;
  readonly kind: ItemKind | null;
  /** Base type, in lower case. */
  readonly mimeType: string | null;
}

/** A rule in force. Plain values, so that it can be kept and brought back. */
export interface ActiveFault extends Fault {
  /** How many calls it has matched, those among them that it let pass included. */
  matched: number;
  /** How many calls it has struck. */
  applied: number;
}

/** Puts a rule in force. */
export function activeFault(rule: Fault): ActiveFault {
  return { ...rule, matched: 0, applied: 0 };
}

/**
 * The rule that strikes a call: the first that matches. One that still skips, is used up or loses its toss counts as
 * not matching, so that the next one is asked.
 */
export function chooseFault(rules: readonly ActiveFault[], dice: Dice, subject: FaultSubject): ActiveFault | null {
  for (const rule of rules) {
    if (!fits(rule.match, subject)) continue;
    rule.matched += 1;
    if (rule.matched <= rule.skip || rule.applied >= (rule.times ?? Number.POSITIVE_INFINITY)) continue;
    if (rule.probability < 1 && chance(dice, "fault") >= rule.probability) continue;
    rule.applied += 1;
    return rule;
  }
  return null;
}

/** At least 0 and below 1. */
export function chance(dice: Dice, purpose: string): number {
  return draw(dice, purpose, 4).readUInt32BE() / 2 ** 32;
}

function fits({ surface, route, screen_id, kind, mimeType }: FaultMatch, subject: FaultSubject): boolean {
  return (
    (surface === undefined || surface === subject.surface) &&
    (route === undefined || route === subject.route) &&
    (screen_id === undefined || screen_id === subject.screenId) &&
    (kind === undefined || kind === subject.kind) &&
    (mimeType === undefined || isOfType(subject.mimeType, mimeType.toLowerCase()))
  );
}

function isOfType(type: string | null, wanted: string): boolean {
  if (type === null) return false;
  return wanted.endsWith("/*") ? type.startsWith(wanted.slice(0, -1)) : type === wanted;
}
