import type { LoopEvent } from "../../../src/core/loop/loop.ts";
import type { LoopEffect } from "../../../src/core/loop/rules.ts";
import type { Instant } from "../../../src/core/spot.ts";
import type { LoopDriver } from "./loop-driver.ts";

/** Something that happens to a loop. */
export interface Happening {
  readonly at: Instant;
  readonly event: LoopEvent;
}

/** A world in which all goes wrong at once, again and again, is not looked at for longer. */
const MOST_EFFECTS = 20_000;

/**
 * Turns a loop until an instant, from its start: what is planned happens, and whatever the world answers to each effect.
 * What is due at one instant happens in the order in which it was answered.
 */
export function runInWorld(
  loop: LoopDriver,
  until: Instant,
  answersTo: (effect: LoopEffect, at: Instant) => readonly Happening[],
  { planned = [], mostEffects = MOST_EFFECTS }: { planned?: readonly Happening[]; mostEffects?: number } = {},
): void {
  const due = [...planned];
  let answered = 0;
  loop.tell({ kind: "started" });
  while (loop.now < until && loop.effects.length < mostEffects) {
    for (const { at, effect } of loop.effects.slice(answered)) {
      answered++;
      due.push(...answersTo(effect, at));
    }
    due.sort((one, other) => one.at - other.at);
    const next = due[0];
    const effects = loop.effects.length;
    loop.passUntilEffect(Math.max(0, Math.min(next?.at ?? until, until) - loop.now));
    if (next === undefined || loop.effects.length > effects) continue;
    due.shift();
    loop.tell(paintedAt(next.event, loop.now));
  }
}

/** A first frame is there when it is told of. */
function paintedAt(event: LoopEvent, now: Instant): LoopEvent {
  return event.kind === "deck-painted" ? { ...event, paintedAt: now } : event;
}
