import { powerSaveBlocker } from "electron";
import type { Logger } from "pino";
import { type DisplayTruth, wantedPower } from "../../core/displays/panel.ts";
import { isRaisingWithin } from "../../core/loop/state.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../../player/clock.ts";
import type { Config } from "../../player/config/config.ts";
import { DisplaySurvey } from "../../player/displays/display-survey.ts";
import { PanelPower, panelSwitches } from "../../player/displays/panel-power.ts";
import { PanelWatch } from "../../player/displays/panel-watch.ts";
import type { Player } from "../../player/player.ts";
import { runProgram } from "../../player/run-program.ts";
import type { StageWindow } from "../stage/stage-window.ts";
import { OutputNames } from "./follow-displays.ts";

/** What the displays of a player's screens are followed with. */
export interface PanelsParts {
  readonly config: Config;
  readonly stages: readonly StageWindow[];
  readonly clock: Clock;
  readonly log: Logger;
  /** Null until there is one. */
  readonly player: () => Player | null;
}

/** Displays that are read back and switched for as long as the player runs. */
export interface FollowedPanels {
  truthOf(screenId: string): DisplayTruth;
  /** Why a display is not on or off as it is to be, in one line, or null. */
  troubleOf(screenId: string): string | null;
  /** Notes whether a screen is blanked. */
  noteBlanked(screenId: string, blanked: boolean): void;
  /** Ends, and leaves the displays on for the next program. */
  release(): Promise<void>;
}

/** A program that was begun so long before has ended when the next item becomes visible. */
const CLEAR_OF_RAISES_MS = 3_000;
/** When a screen opens next takes a calendar to tell. */
const OPENING_EVERY_MS = 60_000;

/**
 * Reads back whether the display of each screen is on, tells its stage where it is known to be off though there is
 * something to see, and switches displays as `display.power` says. Keeps them awake while at least one screen is open.
 */
export function followPanels({ config, stages, clock, log, player }: PanelsParts): FollowedPanels {
  const ending = new AbortController();
  const screenIds = stages.map(({ screenId }) => screenId);
  const blanked = new Set<string>();
  const outputs = new OutputNames(stages);
  const awake = new Wakefulness();
  const screens = () => player()?.screens ?? [];
  const screenOf = (screenId: string) => screens().find((one) => one.screenId === screenId);
  const openings = new Map<string, { readonly readAt: Instant; readonly opensAt: Instant | null }>();
  const session = process.platform !== "linux" ? "none" : process.env.WAYLAND_DISPLAY ? "wayland" : "x11";
  /** Which display is whose has to be known before one is switched. */
  let isNamed = false;
  const survey = new DisplaySurvey({ run: runProgram, clock, session });

  const opensAt = (screenId: string): Instant | null => {
    const now = clock.now();
    const known = openings.get(screenId);
    if (known !== undefined && now - known.readAt < OPENING_EVERY_MS) return known.opensAt;
    const opens = screenOf(screenId)?.hours.ads().opensAt ?? null;
    const { service, wall } = player()?.serviceClock.read() ?? { service: null, wall: clock.wall() };
    const opening = { readAt: now, opensAt: opens === null ? null : now + opens - (service ?? wall) };
    openings.set(screenId, opening);
    return opening.opensAt;
  };
  const wanted = (screenId: string) => {
    const state = screenOf(screenId)?.loop.state();
    if (state === undefined || !blanked.has(screenId)) return "on";
    const { suspendReasons } = state;
    return wantedPower({ blanked: true, suspendReasons, opensAt: opensAt(screenId) }, clock.now());
  };
  const follow = () => {
    for (const { screenId, visibility } of stages) {
      const { state } = watch.truthOf(screenId);
      screenOf(screenId)?.sightings.notePanel(state);
      visibility.note("display off", state === "off" && !blanked.has(screenId));
    }
    awake.keep(blanked.size < stages.length);
    if (isNamed) power.follow();
  };
  const watch: PanelWatch = new PanelWatch({
    ...{ screenIds, survey, clock, log, signal: ending.signal },
    outputOf: (screenId) => outputs.of(screenId),
    isBusy: () => screens().some(({ loop }) => isRaisingWithin(loop.state(), CLEAR_OF_RAISES_MS, clock.now())),
    onLook: follow,
  });
  const power: PanelPower = new PanelPower({
    ...{ clock, log },
    switches: panelSwitches(config, wanted, (method, screenId, on) => {
      return survey.switch(method, screenId === null ? null : outputs.of(screenId), on);
    }),
    truthOf: (screenId) => watch.truthOf(screenId),
    look: () => watch.look(),
    note: (entry) => player()?.note(entry),
  });
  const stopNaming = outputs.follow(async () => {
    await survey.readKernel("all");
    isNamed = true;
    follow();
    await watch.look();
  });
  follow();
  watch.start();
  return {
    truthOf: (screenId) => watch.truthOf(screenId),
    troubleOf: (screenId) => power.troubleOf(screenId),
    noteBlanked(screenId, isBlanked) {
      openings.delete(screenId);
      if (isBlanked) blanked.add(screenId);
      else blanked.delete(screenId);
      follow();
    },
    async release() {
      ending.abort();
      stopNaming();
      await power.release();
    },
  };
}

/** Keeps the system from switching displays off by itself. */
class Wakefulness {
  #blocker: number | null = null;

  keep(awake: boolean): void {
    if (awake) this.#blocker ??= powerSaveBlocker.start("prevent-display-sleep");
    else if (this.#blocker !== null) {
      powerSaveBlocker.stop(this.#blocker);
      this.#blocker = null;
    }
  }
}
