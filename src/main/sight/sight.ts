/** Why nobody can see a window. */
export type Obstacle = "no display" | "not shown" | "minimized" | "unmapped" | "covered" | "diagnosis";

/** Whether a screen's window can be seen. It can while nothing stands in the way. */
export class Sight {
  readonly #obstacles = new Set<Obstacle>();
  #listener: (seen: boolean) => void = () => {};

  get clear(): boolean {
    return this.#obstacles.size === 0;
  }

  /** What stands in the way now, in words for the log. */
  get obstacles(): readonly Obstacle[] {
    return [...this.#obstacles];
  }

  has(obstacle: Obstacle): boolean {
    return this.#obstacles.has(obstacle);
  }

  /** The one who hears when it changes. */
  listen(listener: (seen: boolean) => void): void {
    this.#listener = listener;
  }

  /** Takes in whether an obstacle is there. */
  note(obstacle: Obstacle, there: boolean): void {
    const before = this.clear;
    if (there) this.#obstacles.add(obstacle);
    else this.#obstacles.delete(obstacle);
    if (this.clear !== before) this.#listener(this.clear);
  }

  /** What was in sight until now is no longer, and something else may be at once: the window went to another display. */
  interrupt(): void {
    if (!this.clear) return;
    this.#listener(false);
    this.#listener(true);
  }
}
