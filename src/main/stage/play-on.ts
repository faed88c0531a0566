import type { Logger } from "pino";
import type { SuspendReason } from "../../core/loop/state.ts";
import type { PlayoutOutcome } from "../../core/spot.ts";
import type { Clock } from "../../player/clock.ts";
import type { Config } from "../../player/config/config.ts";
import type { Metrics } from "../../player/health/metrics.ts";
import type { Player } from "../../player/player.ts";
import type { FollowedPanels } from "../displays/follow-panels.ts";
import { createStage } from "./stage.ts";
import type { StageWindow } from "./stage-window.ts";

/** What a screen is played with. */
export interface ScreenRun {
  readonly player: Player;
  readonly config: Config;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly panels: Pick<FollowedPanels, "noteBlanked">;
  readonly log: Logger;
  readonly isMuted: () => boolean;
  /** Why the operator has it suspended from the start. */
  readonly suspendReasons: readonly SuspendReason[];
  /** Raised when the process is about to end. */
  readonly ending: AbortSignal;
  /** Hears how each playout ended. */
  readonly noteEnd: (outcome: PlayoutOutcome) => void;
}

/** Starts a screen on its stage; while that is hidden, nothing is shown and no spot requested. */
export function playOn(stageWindow: StageWindow, run: ScreenRun): void {
  const { player, config, metrics, clock, panels, log, isMuted, ending } = run;
  const { screenId, visibility, slate } = stageWindow;
  logDisplay(stageWindow, run);
  const stage = createStage({
    ...stageWindow,
    clock,
    ending,
    isMuted,
    pages: {
      openPage: (document) => player.openPage(document),
      loads: player.pageLoads,
      withinMs: config.creatives.loadSeconds * 1000,
    },
    onPageSeen(playout, ageMs) {
      metrics.pageAge.observe(ageMs / 1000);
      playing.sightings.notePage(playout, ageMs);
    },
    report: (event) => playing.loop.dispatch(event),
    setBlanked(blanked) {
      panels.noteBlanked(screenId, blanked);
      return slate.setBlanked(blanked);
    },
    onDeckFailed: (playout, reason, detail) => {
      log.warn({ screen: screenId, playout: playout.id, reason, detail }, "deck failed");
      playing.health.noteFailure(playout, detail);
    },
  });
  const playing = player.play(screenId, stage, {
    hiddenReasons: visibility.hiddenReasons,
    suspendReasons: run.suspendReasons,
    onTitle: (title) => slate.setName(title),
    onSettled: (_playout, outcome) => run.noteEnd(outcome),
  });
  const tell = (isVisible: boolean) => {
    if (isVisible) log.info({ screen: screenId }, "the screen can be seen again");
    else log.warn({ screen: screenId, why: visibility.hiddenReasons }, "nobody can see the screen");
  };
  if (!visibility.isVisible) tell(false);
  visibility.listen((isVisible) => {
    tell(isVisible);
    playing.health.noteHidden(visibility.hiddenReasons);
    playing.loop.dispatch({ kind: isVisible ? "resume" : "suspend", because: "hidden" });
  });
  panels.noteBlanked(screenId, playing.loop.state().blanked);
}

/** A single screen makes do with another display than the one it was to play on, and somebody should know. */
function logDisplay({ screenId, display, choice }: StageWindow, { config, log }: ScreenRun): void {
  const chosen = display();
  const plan = config.screens.find((one) => one.screenId === screenId)?.display;
  if (chosen === null || plan === undefined) return;
  const { label, bounds } = chosen;
  const fields = { screen: screenId, display: label, outputs: choice.namesOf(chosen), bounds };
  if (choice.isMeant(chosen, plan)) log.info(fields, "display chosen");
  else log.warn({ ...fields, match: plan.match }, "the display of display.match is not there: the primary one is used");
}
