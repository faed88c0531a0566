import { type Display, screen } from "electron";
import { displaysFor, type WindowPlan } from "./placement.ts";

/** The display of each window, kept up to date while displays come, go and change. */
export class DisplayChoice {
  readonly #plans: readonly WindowPlan[];
  #ids: (number | null)[] = [];

  constructor(plans: readonly WindowPlan[]) {
    this.#plans = plans;
  }

  /** The display of each plan as of now, null where it is not there. */
  current(): readonly (Display | null)[] {
    const seen = { all: screen.getAllDisplays(), primaryId: screen.getPrimaryDisplay().id };
    const chosen = displaysFor(this.#plans, seen, this.#ids);
    this.#ids = chosen.map((display, index) => display?.id ?? this.#ids[index] ?? null);
    return chosen;
  }

  /** Hears them anew whenever one comes, goes, is moved, turned or resized. */
  follow(onChange: (displays: readonly (Display | null)[]) => void): void {
    const tell = () => onChange(this.current());
    screen.on("display-added", tell);
    screen.on("display-removed", tell);
    screen.on("display-metrics-changed", tell);
  }
}
