import type { Logger } from "pino";
import type { SpotClient, SpotOutcome } from "../../client/spot-client.ts";
import { isStrike } from "../../core/backoff.ts";
import type { PanelState } from "../../core/displays/panel.ts";
import type { LoopState, SuspendReason } from "../../core/loop/state.ts";
import type { DisplayState, Sighting } from "../../core/proofs/record.ts";
import type { Instant, Playout, PlayoutId, PlayoutOutcome } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { HealthWatch } from "../health/health-watch.ts";
import type { Metrics } from "../health/metrics.ts";
import type { CreativeBlocklist } from "../media/creative-blocklist.ts";
import { keyOf, type MediaCache } from "../media/media-cache.ts";
import type { DeliveryStats, ProofRecorder } from "../proofs/proof-recorder.ts";
import type { RecordDesk } from "../record/record-store.ts";
import type { ScreenHours } from "./screen-hours.ts";
import { type ScreenLoop, startScreenLoop } from "./screen-loop.ts";
import type { Stage } from "./stage.ts";

/** What a screen plays with: its stage, and what it shares with the player's other screens. */
export interface PlayingScreenParts {
  readonly screenId: string;
  readonly stage: Stage;
  /** Why nobody can see it at the start, in words; none where somebody can. */
  readonly hiddenReasons: readonly string[];
  /** Why else it is suspended from the start, opening hours aside. */
  readonly suspendReasons: readonly SuspendReason[];
  readonly hours: ScreenHours;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly random: () => number;
  readonly client: SpotClient;
  readonly cache: MediaCache;
  readonly blocklist: CreativeBlocklist;
  readonly stats: DeliveryStats;
  readonly recorder: ProofRecorder;
  readonly records: RecordDesk;
  /** Of the player. */
  readonly version: string;
  readonly signal: AbortSignal;
  readonly onAsked: (outcome: SpotOutcome) => void;
  /** When, from now on and within a second, a request tells most of the service's time. */
  readonly tellingAt: () => Instant;
  /** Hears the end of each playout, after its proof was owed. */
  readonly onSettled: (playout: Playout, outcome: PlayoutOutcome) => void;
}

/** What is known of a stage, and wanted for it. */
export interface View {
  /** Why nobody can see its stage now, in words; by default somebody can. */
  readonly hiddenReasons?: readonly string[];
  /** Why else the screen is suspended from the start. */
  readonly suspendReasons?: readonly SuspendReason[];
  /** Hears the screen's display name as often as it was read, and at once where it is known from before. */
  readonly onTitle?: (title: string) => void;
  /** Hears the end of each playout, after its proof was owed. */
  readonly onSettled?: (playout: Playout, outcome: PlayoutOutcome) => void;
}

/** One screen that plays. */
export interface PlayingScreen {
  readonly screenId: string;
  readonly loop: ScreenLoop;
  readonly health: HealthWatch;
  readonly sightings: Sightings;
  /** Whether it can have ads. */
  readonly hours: Pick<ScreenHours, "ads">;
}

/** Begins to play a screen, until the signal is aborted. */
export function playScreen(parts: PlayingScreenParts): PlayingScreen {
  const { screenId, stage, hours, config, clock, client, cache, stats, recorder, records, random, signal } = parts;
  // Lines of a player's only screen need not say which it is.
  const log = config.screens.length === 1 ? parts.log : parts.log.child({ screen: screenId });
  const health = new HealthWatch(clock, parts.metrics.of(screenId));
  health.noteHidden(parts.hiddenReasons);
  const sightings = new Sightings();
  const loop = startScreenLoop({
    screenId,
    stage,
    clock,
    client,
    cache,
    log,
    random,
    signal,
    tellingAt: parts.tellingAt,
    suspendReasons: [
      ...hours.reasons(),
      ...(parts.hiddenReasons.length > 0 ? (["hidden"] as const) : []),
      ...parts.suspendReasons,
    ],
    limits: { maxAgeMs: config.spot.maxAgeSeconds * 1000, pageWithinMs: config.creatives.loadSeconds * 1000 },
    onState(state) {
      health.noteState(state);
      sightings.noteState(state);
    },
    onAsked(outcome) {
      health.noteAsked(outcome);
      stats.count("slot");
      if (outcome.kind === "spot") stats.count("fill");
      parts.onAsked(outcome);
    },
    onSettled(playout, outcome, digest) {
      const endedAt = outcome.kind === "shown" ? outcome.endedAt : clock.now();
      const sighting = sightings.take(playout, digest);
      const ended = { screenId, playout, outcome, endedAt, sighting, version: parts.version };
      if (outcome.kind === "shown") recorder.owe(ended);
      else {
        stats.count("failed", outcome.reason);
        records.add(ended);
      }
      noteStrike(parts.blocklist, playout, outcome, clock.wall());
      health.noteSettled(playout, outcome);
      noteInLog(log, playout, outcome);
      parts.onSettled(playout, outcome);
    },
  });
  hours.start(loop.dispatch);
  return { screenId, loop, health, sightings, hours };
}

/** A creative that fails by its own fault again and again is not played for a while. */
function noteStrike(blocklist: CreativeBlocklist, { item }: Playout, outcome: PlayoutOutcome, now: Instant): void {
  if (outcome.kind === "shown") blocklist.clear(keyOf(item));
  else if (isStrike(outcome.reason)) blocklist.strike(keyOf(item), "creative", outcome.reason, now);
}

function noteInLog(log: Logger, playout: Playout, outcome: PlayoutOutcome): void {
  const { kind, id, durationMs } = playout.item;
  const fields = { playout: playout.id, requestId: playout.requestId, kind, item: id, durationMs };
  if (outcome.kind === "shown") log.info(fields, "item shown");
  else log.warn({ ...fields, reason: outcome.reason }, "item failed");
}

/** What one screen's playouts looked like, until they are over. */
export class Sightings {
  #light: "lit" | "blanked" | "hidden" | "unknown" = "unknown";
  #panel: PanelState = "unknown";
  /** Whether the display has said that it is on ever since the item on air began. */
  #isOnThroughout = false;
  #onAir: { readonly id: PlayoutId; readonly startedAt: Instant | null } | null = null;
  readonly #pageAges = new Map<PlayoutId, number>();

  /** What the playout record would say of the display now. */
  get display(): DisplayState {
    return this.#displayWhere(this.#panel === "on");
  }

  /** Takes in each state of the loop. */
  noteState({ slot, blanked, suspendReasons }: LoopState): void {
    if (slot?.playout.id !== this.#onAir?.id) this.#isOnThroughout = this.#panel === "on";
    this.#onAir = slot === null ? null : { id: slot.playout.id, startedAt: slot.paintedAt };
    if (suspendReasons.includes("hidden")) this.#light = "hidden";
    else this.#light = blanked ? "blanked" : "lit";
  }

  /** Takes in what is known of the display itself. */
  notePanel(panel: PanelState): void {
    this.#panel = panel;
    if (panel !== "on") this.#isOnThroughout = false;
  }

  /** Takes in how long before its first frame a page was begun. */
  notePage({ id }: Playout, ageMs: number): void {
    this.#pageAges.set(id, ageMs);
  }

  /** What there is to say of a playout that is over; it is forgotten here. */
  take({ id }: Playout, digest: string | null): Sighting {
    const firstFrameAgeMs = this.#pageAges.get(id) ?? null;
    this.#pageAges.delete(id);
    const startedAt = this.#onAir?.id === id ? this.#onAir.startedAt : null;
    return { digest, startedAt, firstFrameAgeMs, display: this.#displayWhere(this.#isOnThroughout) };
  }

  #displayWhere(isOn: boolean): DisplayState {
    if (this.#light !== "lit") return this.#light;
    return isOn ? "on" : "unknown";
  }
}
