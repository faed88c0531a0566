import type { Logger } from "pino";
import {
  type HouseEffect,
  type HouseEvent,
  type HouseItem,
  houseWakeAt,
  newHouse,
  stepHouse,
} from "../../core/house.ts";
import { type Clock, NEVER, Timer } from "../clock.ts";
import type { HouseFolder } from "./house-folder.ts";

/** Where house content is shown: the slate of one screen. */
export interface HouseStage {
  /** Loads an item. Resolves with a clip's own length in milliseconds, else with null; rejects when it cannot be shown. */
  cue(item: HouseItem): Promise<number | null>;
  /** Shows what was cued, once it has a picture; rejects when it cannot be shown. */
  take(): Promise<void>;
  /** Resolves when the item shown last has ended, has broken, or was replaced by another. */
  over(): Promise<"ended" | "broken" | "replaced">;
  /** Shows the slate itself. */
  clear(): void;
  pause(): void;
  resume(): void;
}

export interface HouseShowParts {
  readonly folder: HouseFolder;
  readonly stage: HouseStage;
  readonly clock: Clock;
  /** How long an image or a page stays. */
  readonly stayMs: number;
  readonly log: Logger;
}

/** House content while it runs. */
export interface HouseShow {
  dispatch(event: HouseEvent): void;
}

/** Shows the items of a folder in turn, as the core decides, for as long as the process lives. */
export function startHouseShow(parts: HouseShowParts): HouseShow {
  const { folder, stage, clock, log } = parts;
  const timer = new Timer(clock, () => dispatch({ kind: "woke" }));
  let state = newHouse(parts.stayMs);

  function dispatch(event: HouseEvent): void {
    const [next, effects] = stepHouse(state, event, clock.now());
    state = next;
    for (const effect of effects) carryOut(effect);
    timer.set(houseWakeAt(state) ?? NEVER);
  }

  function carryOut(effect: HouseEffect): void {
    switch (effect.kind) {
      case "look":
        void folder.look().then((items) => dispatch({ kind: "looked", items }));
        break;
      case "show":
        void show(effect.item);
        break;
      case "clear":
        stage.clear();
        break;
      case "pause":
        stage.pause();
        break;
      case "resume":
        stage.resume();
        break;
    }
  }

  async function show(item: HouseItem): Promise<void> {
    const { id } = item;
    try {
      const lengthMs = await stage.cue(item);
      if (folder.isGone(item)) throw new Error("its file is gone, or cannot be read");
      await stage.take();
      dispatch({ kind: "shown", id, lengthMs });
    } catch (error) {
      log.warn({ file: item.name, reason: String(error) }, "house content cannot be shown");
      return dispatch({ kind: "failed", id });
    }
    const end = await stage.over();
    if (end === "ended") dispatch({ kind: "ended", id });
    if (end === "broken") dispatch({ kind: "failed", id });
  }

  dispatch({ kind: "began" });
  return { dispatch };
}
