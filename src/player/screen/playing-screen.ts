import type { Logger } from "pino";
import type { Service, SpotOutcome } from "../../client/service.ts";
import type { Playout, PlayoutOutcome } from "../../core/playout.ts";
import type { Instant } from "../../core/spot.ts";
import { isStrike } from "../../core/strikes.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { HealthWatch } from "../health/health-watch.ts";
import type { Metrics } from "../health/metrics.ts";
import { keyOf, type MediaCache } from "../media/media-cache.ts";
import type { StrikeBook } from "../media/strike-book.ts";
import type { ProofDesk } from "../proofs/proof-desk.ts";
import type { TallyBook } from "../proofs/tally-book.ts";
import type { ScreenHours } from "./screen-hours.ts";
import { type ScreenLoop, startScreenLoop } from "./screen-loop.ts";
import type { Stage } from "./stage.ts";

/** What a screen plays with: its stage, and what it shares with the player's other screens. */
export interface PlayingScreenParts {
  readonly screenId: string;
  readonly stage: Stage;
  /** Whether the stage can be seen at the start. */
  readonly seen: boolean;
  readonly hours: ScreenHours;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly dice: () => number;
  readonly service: Service;
  readonly cache: MediaCache;
  readonly strikes: StrikeBook;
  readonly tallies: TallyBook;
  readonly desk: ProofDesk;
  readonly signal: AbortSignal;
  readonly onAsked: (outcome: SpotOutcome) => void;
  /** Hears the end of each playout, after its proof was owed. */
  readonly onSettled: (playout: Playout, outcome: PlayoutOutcome) => void;
}

/** One screen that plays. */
export interface PlayingScreen {
  readonly screenId: string;
  readonly loop: ScreenLoop;
  readonly health: HealthWatch;
}

/** Begins to play a screen, until the signal is aborted. */
export function playScreen(parts: PlayingScreenParts): PlayingScreen {
  const { screenId, stage, seen, hours, config, clock, service, cache, tallies, desk, dice, signal } = parts;
  // Lines of a player's only screen need not say which it is.
  const log = config.screens.length === 1 ? parts.log : parts.log.child({ screen: screenId });
  const health = new HealthWatch(clock, parts.metrics.of(screenId));
  const loop = startScreenLoop({
    ...{ screenId, stage, clock, service, cache, log, dice, signal },
    resting: [...hours.reasons(), ...(seen ? [] : (["hidden"] as const))],
    limits: { maxAgeMs: config.spot.maxAgeSeconds * 1000, pageWithinMs: config.creatives.loadSeconds * 1000 },
    onState: (state) => health.noteState(state),
    onAsked(outcome) {
      health.noteAsked(outcome);
      tallies.count("slot");
      if (outcome.kind === "spot") tallies.count("fill");
      parts.onAsked(outcome);
    },
    onSettled(playout, outcome) {
      if (outcome.kind === "shown") desk.owe(screenId, playout, outcome.endedAt);
      else tallies.count("failed", outcome.reason);
      holdAgainst(parts.strikes, playout, outcome, clock.wall());
      health.noteSettled(playout, outcome);
      noteInLog(log, playout, outcome);
      parts.onSettled(playout, outcome);
    },
  });
  hours.start(loop.dispatch);
  return { screenId, loop, health };
}

/** A creative that fails by its own fault again and again is not played for a while. */
function holdAgainst(strikes: StrikeBook, { item }: Playout, outcome: PlayoutOutcome, now: Instant): void {
  if (outcome.kind === "shown") strikes.clear(keyOf(item));
  else if (isStrike(outcome.reason)) strikes.strike(keyOf(item), "creative", outcome.reason, now);
}

function noteInLog(log: Logger, playout: Playout, outcome: PlayoutOutcome): void {
  const { kind, id, durationMs } = playout.item;
  const fields = { playout: playout.id, requestId: playout.requestId, kind, item: id, durationMs };
  if (outcome.kind === "shown") log.info(fields, "item shown");
  else log.warn({ ...fields, reason: outcome.reason }, "item failed");
}
