import type { Logger } from "pino";
import type { SpotClient, SpotOutcome } from "../../client/spot-client.ts";
import { heldUp, type LoopEvent, type LoopLimits, newLoop, step } from "../../core/loop/loop.ts";
import type { LoopEffect } from "../../core/loop/rules.ts";
import { isLoading, type LoopState, type SuspendReason, wakeAt } from "../../core/loop/state.ts";
import type { Instant, Playout, PlayoutOutcome } from "../../core/spot.ts";
import { type Clock, NEVER, reached } from "../clock.ts";
import type { MediaCache } from "../media/media-cache.ts";
import { ItemMedia } from "./item-media.ts";
import { requestSpot } from "./spot-request.ts";
import type { Stage } from "./stage.ts";

/** What one screen's loop is made of. */
export interface ScreenLoopParts {
  readonly screenId: string;
  readonly limits: LoopLimits;
  /** Why it is suspended from the start. */
  readonly suspendReasons: readonly SuspendReason[];
  readonly clock: Clock;
  readonly client: SpotClient;
  readonly cache: MediaCache;
  readonly stage: Stage;
  readonly log: Logger;
  /** Chance in [0, 1), for jitter only. */
  readonly random: () => number;
  /**
   * Hears the end of each playout, and the digest of its media where they were on the disk, as soon as what comes
   * next is visible; one that was shown must be owed its proof before this returns (G1).
   */
  readonly onSettled: (playout: Playout, outcome: PlayoutOutcome, digest: string | null) => void;
  readonly onAsked: (outcome: SpotOutcome) => void;
  /** When, from now on and within a second, a request tells most of the service's time; now by default. */
  readonly tellingAt?: () => Instant;
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
/** While a deck loads an alarm rings this often: how late it is tells for how long this process stood still. */
const LOOK_EVERY_MS = 500;

/** How long what is on air must still go on for a request that is not made at once. */
const ROOM_MS = 4_000;

/**
 * Writing a proof to a slow disk holds up this process, and with it the frame that shows what follows: what was shown is
 * settled when the next deck is visible, or this long after it was taken where that never comes...
 */
const UNPAINTED_MS = 250;
/** ...and this long after it left where no deck follows: what lay below is in sight two refreshes later. */
const UNCOVERED_MS = 100;

/** Carries out what the core decides for one screen, until the signal is aborted. */
export function startScreenLoop(parts: ScreenLoopParts): ScreenLoop {
  const { clock, stage, signal } = parts;
  const media = new ItemMedia(parts);
  let state = newLoop(parts.limits, parts.suspendReasons);
  const inbox: LoopEvent[] = [];
  let busy = false;
  let alarmAt: Instant = NEVER;
  let callOffAlarm = () => {};
  /** What has ended and is to be settled, in order. */
  const ended: (() => void)[] = [];
  /** Calls off the alarm at which that is; `null` where it need not wait. */
  let callOffSettling: (() => void) | null = null;

  // An effect may report at once what came of it: that waits until the effects before it are all carried out.
  function dispatch(event: LoopEvent): void {
    inbox.push(event);
    if (busy) return;
    busy = true;
    try {
      for (let next = inbox.shift(); next !== undefined && !signal.aborted; next = inbox.shift()) takeIn(next);
    } catch (error) {
      // Whoever told of the event might catch it, and what was to follow would never be done: it is for who restarts the player.
      setImmediate(() => {
        throw error;
      });
    } finally {
      busy = false;
    }
  }

  function takeIn(event: LoopEvent): void {
    const now = clock.now();
    const lateMs = now - alarmAt;
    const [next, effects] = step(lateMs < HELD_UP_MS ? state : heldUp(state, lateMs), event, now, parts.random());
    state = next;
    if (event.kind === "deck-painted") settleAll();
    for (const effect of effects) carryOut(effect);
    if (callOffSettling === null) settleOnceSeen(effects);
    parts.onState(state);
    callOffAlarm();
    alarmAt = Math.min(wakeAt(state) ?? NEVER, isLoading(state.queue[0]) ? clock.now() + LOOK_EVERY_MS : NEVER);
    callOffAlarm = alarmAt === NEVER ? () => {} : clock.alarm(alarmAt, wake);
  }

  /** A frame that is given up may have been there in time: after a delay, what came meanwhile is taken in first. */
  function wake(): void {
    const now = clock.now();
    const woken = () => dispatch({ kind: "woke" });
    if (now - alarmAt < HELD_UP_MS) woken();
    else callOffAlarm = clock.alarm(now + CATCH_UP_MS, woken);
  }

  function carryOut(effect: LoopEffect): void {
    switch (effect.kind) {
      case "request-spot":
        void ask().then(dispatch);
        break;
      case "fetch":
        void fetchItem(effect.playout).then(dispatch);
        break;
      case "record":
        void record(effect.playout).then(dispatch);
        break;
      case "cue":
        void cue(effect.playout);
        break;
      case "take":
        stage.take(effect.playout);
        break;
      case "clear":
        stage.clear(effect.playout);
        break;
      case "blank":
        stage.blank();
        break;
      case "unblank":
        stage.unblank();
        break;
      case "settle":
        ended.push(() => settle(effect.playout, effect.outcome));
        break;
    }
  }

  /** A request can wait for less than a second where what is on air goes on for long; a suspended screen asks for nothing. */
  async function ask(): Promise<LoopEvent> {
    const now = clock.now();
    const isOnAir = state.slot !== null && state.slot.paintedAt !== null && state.slot.endsAt - now >= ROOM_MS;
    if (isOnAir) await reached(parts.tellingAt?.() ?? now, clock, signal);
    return state.suspendReasons.length > 0 ? { kind: "request-withdrawn" } : requestSpot(parts);
  }

  async function fetchItem(playout: Playout): Promise<LoopEvent> {
    const { id } = playout;
    return (await media.fetch(playout))
      ? { kind: "item-fetched", playout: id }
      : { kind: "item-lost", playout: id, reason: "unfetchable" };
  }

  async function record(playout: Playout): Promise<LoopEvent> {
    const { id } = playout;
    const recording = await media.record(playout);
    if (recording.kind === "failed") return { kind: "item-lost", playout: id, reason: recording.reason };
    return { kind: "page-recorded", playout: id, leadMs: recording.leadMs };
  }

  async function cue(playout: Playout): Promise<void> {
    const reread = await media.reread(playout);
    if (reread.kind === "whole") stage.cue(playout, reread.media);
    if (reread.kind === "lost") dispatch({ kind: "deck-failed", playout: playout.id, reason: "unfetchable" });
  }

  /** Settles what ended; what was shown, only when what follows it can be seen. */
  function settleOnceSeen(effects: readonly LoopEffect[]): void {
    const wasShown = effects.some((effect) => effect.kind === "settle" && effect.outcome.kind === "shown");
    const isFollowed = effects.some(({ kind }) => kind === "take");
    if (wasShown) callOffSettling = clock.alarm(clock.now() + (isFollowed ? UNPAINTED_MS : UNCOVERED_MS), settleAll);
    else settleAll();
  }

  function settleAll(): void {
    callOffSettling?.();
    callOffSettling = null;
    for (const settleOne of ended.splice(0)) settleOne();
  }

  function settle(playout: Playout, outcome: PlayoutOutcome): void {
    const digest = media.digestOf(playout);
    media.letGo(playout);
    parts.onSettled(playout, outcome, digest);
  }

  signal.addEventListener("abort", () => {
    callOffAlarm();
    settleAll();
  });
  dispatch({ kind: "started" });
  return { dispatch, state: () => state };
}
