import { screen } from "electron";
import type { Logger } from "pino";
import type { PlayoutOutcome } from "../core/playout.ts";
import type { Clock } from "../player/clock.ts";
import type { Config } from "../player/config/config.ts";
import type { Player } from "../player/player.ts";
import type { DisplayPower } from "./display-power.ts";
import type { RaisedStage } from "./raise-stage.ts";
import { displayNamed } from "./sight/placement.ts";
import { createStage } from "./stage.ts";

/** What a screen is played with. */
export interface ScreenRun {
  readonly player: Player;
  readonly config: Config;
  readonly clock: Clock;
  readonly power: DisplayPower;
  readonly log: Logger;
  /** Hears how each playout ended. */
  readonly noteEnd: (outcome: PlayoutOutcome) => void;
}

/** Begins to play a screen on its stage: as long as nobody can see that, nothing is shown and nothing asked for. */
export function playOn(raised: RaisedStage, run: ScreenRun): void {
  const { player, config, clock, power, log } = run;
  const { screenId, sight, slate } = raised;
  logDisplay(raised, run);
  const stage = createStage({
    ...raised,
    clock,
    muted: config.audio.muted,
    openPage: (document) => player.openPage(document),
    report: (event) => playing.loop.dispatch(event),
    onDark(dark) {
      power.note(screenId, dark);
      return slate.darken(dark);
    },
    onTrouble: (playout, reason, detail) => {
      log.warn({ screen: screenId, playout: playout.id, reason, detail }, "deck failed");
    },
  });
  const playing = player.play(screenId, stage, {
    seen: sight.clear,
    onTitle: (title) => slate.setName(title),
    onSettled: (_playout, outcome) => run.noteEnd(outcome),
  });
  const tell = (seen: boolean) => {
    if (seen) log.info({ screen: screenId }, "the screen can be seen again");
    else log.warn({ screen: screenId, why: sight.obstacles }, "nobody can see the screen");
  };
  if (!sight.clear) tell(false);
  sight.listen((seen) => {
    tell(seen);
    playing.loop.dispatch({ kind: seen ? "rouse" : "rest", because: "hidden" });
  });
}

/** A single screen makes do with another display than the one it was to play on, and somebody should know. */
function logDisplay({ screenId, display }: RaisedStage, { config, log }: ScreenRun): void {
  const chosen = display();
  const match = config.screens.find((one) => one.screenId === screenId)?.display.match ?? null;
  if (chosen === null) return;
  const { label, bounds } = chosen;
  const fields = { screen: screenId, display: label, bounds };
  const isMeant = match === null || displayNamed(match, screen.getAllDisplays())?.id === chosen.id;
  if (isMeant) log.info(fields, "display chosen");
  else log.warn({ ...fields, match }, "the display of display.match is not there: the primary one is used");
}
