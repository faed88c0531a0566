import { isDeepStrictEqual } from "node:util";
import type { Logger } from "pino";
import { type DisplayTruth, type NamedOutput, truthOf, truthText } from "../../core/displays/panel.ts";
import { type Clock, reached } from "../clock.ts";
import type { DisplaySurvey } from "./display-survey.ts";

export interface PanelWatchParts {
  readonly screenIds: readonly string[];
  readonly survey: DisplaySurvey;
  readonly clock: Clock;
  readonly log: Logger;
  /** The display that a screen is on, or null where that is not certain. */
  readonly outputOf: (screenId: string) => NamedOutput | null;
  /** Whether an item is about to become visible: no program is started then. */
  readonly isBusy: () => boolean;
  /** Hears after each look, whether it brought something new or not. */
  readonly onLook: () => void;
  readonly signal: AbortSignal;
}

/** What the kernel knows of its state costs three small files a connector. */
const KERNEL_EVERY_MS = 2_000;
/** A television answers within a second or two, and its cable carries 40 bytes a second. */
const PROGRAMS_EVERY_MS = 30_000;
/** How often it is seen whether the raise that a program waits for is over, and how long that is waited for. */
const READY_EVERY_MS = 500;
const READY_WITHIN_MS = 15_000;

const NOT_LOOKED: DisplayTruth = truthOf([]);

/** Keeps up to date what is known of each screen's display: the kernel is read often, programs are asked now and then. */
export class PanelWatch {
  readonly #parts: PanelWatchParts;
  readonly #truths = new Map<string, DisplayTruth>();
  /** One program at a time. */
  #asking: Promise<void> = Promise.resolve();
  /** The look that has not begun yet, where there is one: whoever wants another has that. */
  #next: Promise<void> | null = null;

  constructor(parts: PanelWatchParts) {
    this.#parts = parts;
  }

  truthOf(screenId: string): DisplayTruth {
    return this.#truths.get(screenId) ?? NOT_LOOKED;
  }

  /** Looks from now on, until the signal is aborted. */
  start(): void {
    void this.#repeat(KERNEL_EVERY_MS, () => this.#readKernel());
    void this.#repeat(PROGRAMS_EVERY_MS, () => this.look());
  }

  /** Asks everything once more; resolves when it is known. */
  look(): Promise<void> {
    this.#next ??= this.#asking.then(() => {
      this.#next = null;
      return this.#ask();
    });
    this.#asking = this.#next;
    return this.#next;
  }

  async #readKernel(): Promise<void> {
    await this.#parts.survey.readKernel("state");
    this.#tell();
  }

  async #ask(): Promise<void> {
    const { survey, screenIds, outputOf, signal } = this.#parts;
    if (signal.aborted) return;
    await survey.readKernel("all");
    await survey.ask(
      screenIds.flatMap((screenId) => outputOf(screenId) ?? []),
      () => this.#ready(),
    );
    this.#tell();
  }

  #tell(): void {
    const { screenIds, survey, outputOf, log, onLook, signal } = this.#parts;
    if (signal.aborted) return;
    for (const screen of screenIds) {
      const truth = survey.truthOf(outputOf(screen));
      const before = this.#truths.get(screen);
      this.#truths.set(screen, truth);
      if (!isDeepStrictEqual(before, truth)) log.info({ screen, display: truthText(truth) }, "display read back");
    }
    onLook();
  }

  async #ready(): Promise<boolean> {
    const { clock, isBusy, signal } = this.#parts;
    const until = clock.now() + READY_WITHIN_MS;
    while (isBusy() && clock.now() < until && !signal.aborted)
      await reached(clock.now() + READY_EVERY_MS, clock, signal);
    return !signal.aborted;
  }

  async #repeat(everyMs: number, act: () => Promise<void>): Promise<void> {
    const { clock, signal } = this.#parts;
    while (!signal.aborted) {
      await act();
      await reached(clock.now() + everyMs, clock, signal);
    }
  }
}
