import { type LoopEvent, newLoop, step } from "../../../src/core/loop/loop.ts";
import type { LoopEffect } from "../../../src/core/loop/rules.ts";
import { CUE_LEAD_MS, type LoopState, wakeAt } from "../../../src/core/loop/state.ts";
import { aSpot } from "./spots.ts";

/** Turns a loop by hand: keeps its state and the time, and remembers every effect with the time it came at. */
export class LoopDriver {
  now = 1_000;
  state: LoopState;
  readonly effects: { at: number; effect: LoopEffect; hidden: boolean }[] = [];
  /** When the stage was lost from sight. */
  readonly losses: number[] = [];
  #unread = 0;

  constructor(maxAgeMs = 15 * 60_000) {
    this.state = newLoop({ maxAgeMs, pageWithinMs: 20_000 });
  }

  /** The first item is on the air, the second one's deck is ready, and the next spot has been asked for. */
  static onAir(): LoopDriver {
    const loop = new LoopDriver();
    loop.tell({ kind: "started" });
    loop.tell({ kind: "spot-received", spot: aSpot(), requestedAt: loop.now });
    loop.prepare("1-news", "1-ad");
    loop.ready("1-news");
    loop.paint("1-news");
    loop.ready("1-ad");
    loop.read();
    return loop;
  }

  tell(event: LoopEvent, random = 0): void {
    const [state, effects] = step(this.state, event, this.now, random);
    this.state = state;
    if (event.kind === "suspend" && event.because === "hidden") this.losses.push(this.now);
    for (const effect of effects)
      this.effects.push({ at: this.now, effect, hidden: state.suspendReasons.includes("hidden") });
  }

  /** Lets time pass, waking the loop whenever it asked for it. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (let at = wakeAt(this.state); at !== null && at <= until; at = wakeAt(this.state)) {
      if (at < this.now) throw new Error(`asked to be woken in the past: ${at} before ${this.now}`);
      this.now = at;
      this.tell({ kind: "woke" });
    }
    this.now = until;
  }

  /** Lets time pass as `pass` does, but only until something has come of it. */
  passUntilEffect(ms: number): void {
    const until = this.now + ms;
    const before = this.effects.length;
    while (this.effects.length === before && this.now < until) {
      const at = wakeAt(this.state) ?? until;
      this.pass(Math.min(at, until) - this.now);
    }
  }

  /** The effects since the last call, each in short: "take 1-news", "settle 1-news shown", "request-spot". */
  read(): string[] {
    const read = this.effects.slice(this.#unread).map(({ effect }) => inShort(effect));
    this.#unread = this.effects.length;
    return read;
  }

  /** Says that their media are on disk, and pages recorded. */
  prepare(...playouts: string[]): void {
    for (const playout of playouts) {
      this.tell({ kind: "item-fetched", playout });
      this.tell({ kind: "page-recorded", playout, leadMs: CUE_LEAD_MS });
    }
  }

  /** Says that their media cannot be had. */
  lose(...playouts: string[]): void {
    for (const playout of playouts) this.tell({ kind: "item-lost", playout, reason: "unfetchable" });
  }

  ready(playout: string): void {
    this.tell({ kind: "deck-ready", playout });
  }

  paint(playout: string): void {
    this.tell({ kind: "deck-painted", playout, paintedAt: this.now });
  }
}

function inShort(effect: LoopEffect): string {
  if (!("playout" in effect)) return effect.kind;
  const base = `${effect.kind} ${effect.playout.id}`;
  if (effect.kind !== "settle") return base;
  return `${base} ${effect.outcome.kind === "shown" ? "shown" : effect.outcome.reason}`;
}
