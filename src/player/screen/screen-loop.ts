import type { Logger } from "pino";
import type { Service, SpotOutcome } from "../../client/service.ts";
import { type LoopEvent, type LoopLimits, newLoop, step } from "../../core/loop.ts";
import type { LoopEffect } from "../../core/loop-rules.ts";
import { type LoopState, wakeAt } from "../../core/loop-state.ts";
import type { Playout, PlayoutId, PlayoutOutcome } from "../../core/playout.ts";
import type { RestReason } from "../../core/rest.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { Media, MediaCache } from "../media/media-cache.ts";
import { requestSpot } from "./spot-request.ts";
import type { Stage } from "./stage.ts";

/** What one screen's loop is made of. */
export interface ScreenLoopParts {
  readonly screenId: string;
  readonly limits: LoopLimits;
  /** Why it rests from the start. */
  readonly resting: readonly RestReason[];
  readonly clock: Clock;
  readonly service: Service;
  readonly cache: MediaCache;
  readonly stage: Stage;
  readonly log: Logger;
  /** Chance in [0, 1), for jitter only. */
  readonly dice: () => number;
  /** Hears the end of each playout; one that was shown must be owed its proof before this returns (G1). */
  readonly onSettled: (playout: Playout, outcome: PlayoutOutcome) => void;
  readonly onAsked: (outcome: SpotOutcome) => void;
  /** Hears each new state. */
  readonly onState: (state: LoopState) => void;
  readonly signal: AbortSignal;
}

/** A screen's loop while it runs. */
export interface ScreenLoop {
  /** Takes in what the stage reports, at the clock's now. */
  dispatch(event: LoopEvent): void;
  state(): LoopState;
}

/** An alarm that is later than this was held up, with all that pages have told since. */
const HELD_UP_MS = 250;
const CATCH_UP_MS = 50;

/** Carries out what the core decides for one screen, until the signal is aborted. */
export function startScreenLoop(parts: ScreenLoopParts): ScreenLoop {
  const { clock, stage, signal } = parts;
  const media = new Map<PlayoutId, Media>();
  let state = newLoop(parts.limits, parts.resting);
  const inbox: LoopEvent[] = [];
  let busy = false;
  let callOffAlarm = () => {};

  // An effect may report at once what came of it: that waits until the effects before it are all carried out.
  function dispatch(event: LoopEvent): void {
    inbox.push(event);
    if (busy) return;
    busy = true;
    for (let next = inbox.shift(); next !== undefined && !signal.aborted; next = inbox.shift()) takeIn(next);
    busy = false;
  }

  function takeIn(event: LoopEvent): void {
    const [next, effects] = step(state, event, clock.now(), parts.dice());
    state = next;
    for (const effect of effects) carryOut(effect);
    parts.onState(state);
    callOffAlarm();
    const at = wakeAt(state);
    callOffAlarm = at === null ? () => {} : clock.alarm(at, () => wake(at));
  }

  /** A frame that is given up may have been there in time: whoever was held up takes in first what came meanwhile. */
  function wake(at: Instant): void {
    const now = clock.now();
    const woken = () => dispatch({ kind: "woke" });
    if (now - at < HELD_UP_MS) woken();
    else callOffAlarm = clock.alarm(now + CATCH_UP_MS, woken);
  }

  function carryOut(effect: LoopEffect): void {
    switch (effect.kind) {
      case "request-spot":
        void requestSpot(parts).then(dispatch);
        break;
      case "fetch":
        void fetchItem(effect.playout).then(dispatch);
        break;
      case "cue":
        void cue(effect.playout);
        break;
      case "warm":
        stage.warm(effect.playout);
        break;
      case "take":
        stage.take(effect.playout);
        break;
      case "clear":
        stage.clear(effect.playout);
        break;
      case "darken":
        stage.darken();
        break;
      case "lighten":
        stage.lighten();
        break;
      case "settle":
        settle(effect.playout, effect.outcome);
        break;
    }
  }

  async function fetchItem(playout: Playout): Promise<LoopEvent> {
    const fetched = await obtain(playout);
    if (fetched === null) return { kind: "item-lost", playout: playout.id };
    media.set(playout.id, fetched);
    return { kind: "item-fetched", playout: playout.id };
  }

  /** Minutes can have passed since it was fetched: what broke on the disk meanwhile is fetched again before it is cued. */
  async function cue(playout: Playout): Promise<void> {
    const whole = await obtain(playout);
    const held = media.get(playout.id);
    // The playout is over, or so is the loop: neither the deck nor the media is wanted any more.
    if (held === undefined || signal.aborted) return whole === null ? undefined : parts.cache.release(whole.digest);
    if (whole === null) return dispatch({ kind: "deck-failed", playout: playout.id, reason: "unfetchable" });
    parts.cache.release(held.digest);
    media.set(playout.id, whole);
    stage.cue(playout, whole);
  }

  /** Media that was read back whole just now and is held, or null where there is none. */
  async function obtain({ id, item }: Playout): Promise<Media | null> {
    const { url, mimeType, sizeBytes, md5 } = item;
    const outcome = await parts.cache
      .obtain({ url, mimeType, sizeBytes, md5 }, signal)
      .catch((error: unknown) => ({ kind: "failed", reason: String(error) }) as const);
    if (outcome.kind === "kept") return outcome.media;
    parts.log.warn({ playout: id, item: item.id, reason: outcome.reason }, "item lost");
    return null;
  }

  function settle(playout: Playout, outcome: PlayoutOutcome): void {
    const held = media.get(playout.id);
    if (held !== undefined) parts.cache.release(held.digest);
    media.delete(playout.id);
    parts.onSettled(playout, outcome);
  }

  signal.addEventListener("abort", () => callOffAlarm());
  dispatch({ kind: "started" });
  return { dispatch, state: () => state };
}
