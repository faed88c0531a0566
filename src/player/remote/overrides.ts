import type { Logger } from "pino";
import { z } from "zod";
import type { SuspendReason } from "../../core/loop/state.ts";
import type { Instant } from "../../core/spot.ts";
import { type Clock, NEVER, Timer } from "../clock.ts";
import type { RemoteReport } from "../health/health-report.ts";
import { readSmallFile, writeSmallFile } from "../small-file.ts";
import type { CommandName } from "./commands.ts";

/** What lies over everything on every screen of a player. */
export type Shown = { readonly kind: "message"; readonly text: string } | { readonly kind: "test-card" };

const keptSchema = z.object({
  /** Whether the operator has switched the displays off. */
  off: z.boolean(),
  /** `until`: epoch milliseconds, null: until it is taken back. */
  message: z.object({ text: z.string(), since: z.number(), until: z.number().nullable() }).nullable(),
});

type Kept = Readonly<z.infer<typeof keptSchema>>;

const NOTHING: Kept = { off: false, message: null };

export interface OverridesParts {
  /** Where they are kept. */
  readonly path: string;
  /** What of it may be asked for: what is kept of the rest counts no more, since nobody could take it back. */
  readonly allow: readonly CommandName[];
  readonly clock: Clock;
  /** The service's clock where it is known, else this machine's, epoch milliseconds. */
  readonly time: () => Instant;
  readonly log: Logger;
}

/** A clock that is set meanwhile is noticed within so long. */
const LOOK_EVERY_MS = 10_000;
/** By less than that it matters to no message, and is written down for none. */
const SET_BY_MS = 10_000;
/**
 * A message whose time is over is shown no more, and forgotten only so much later: the machine's clock may be hours ahead after
 * a start, until the service or the network has told the time. Then the message is shown again.
 */
export const FORGOTTEN_AFTER_MS = 15 * 60_000;

/**
 * What the operator has put in place of spots: a message, above all; a test card for a while; displays that are off. The
 * message and the displays stay so through restarts, until they are taken back or the message's time is over.
 */
export class Overrides {
  readonly #parts: OverridesParts;
  readonly #listeners: (() => Promise<void>)[] = [];
  readonly #timer: Timer;
  #kept: Kept;
  /** When the message that is kept was shown first, monotonic; null where that was before this run. */
  #shownAt: Instant | null = null;
  /** Since when the time of the message that is kept is over, monotonic; null where it is not. */
  #overSince: Instant | null = null;
  /** Until when, monotonic; null where there is none. */
  #testCardUntil: Instant | null = null;

  constructor(parts: OverridesParts) {
    this.#parts = parts;
    const { off, message } = readSmallFile(parts.path, keptSchema) ?? NOTHING;
    const { allow } = parts;
    this.#kept = { off: off && allow.includes("display"), message: allow.includes("message") ? message : null };
    // Or it would be back, months later, once it is allowed again.
    if (off !== this.#kept.off || message !== this.#kept.message) this.#keep(this.#kept);
    this.#timer = new Timer(parts.clock, () => void this.#look());
    this.#judge();
    this.#wait();
  }

  /** What is to be seen, or null. */
  get shown(): Shown | null {
    const message = this.#message;
    if (message !== null) return { kind: "message", text: message.text };
    return this.#testCardUntil === null ? null : { kind: "test-card" };
  }

  /** For `/health`. */
  report(): Omit<RemoteReport, "broker"> {
    const message = this.#message;
    return {
      shown: this.shown?.kind ?? null,
      messageSince: message === null ? null : new Date(message.since).toISOString(),
      displays: this.#kept.off ? "off" : "on",
    };
  }

  /** Why screens show no spots by this. */
  get reasons(): readonly SuspendReason[] {
    return [
      ...(this.shown === null ? [] : (["overridden"] as const)),
      ...(this.#kept.off ? (["switched-off"] as const) : []),
    ];
  }

  /** Calls `listener` after each change; a change is over when all of them have resolved. */
  listen(listener: () => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /** Resolves when it is visible, with whether it would survive a restart: the disk may not take it. */
  async showMessage(text: string, seconds: number | null): Promise<boolean> {
    const since = this.#parts.time();
    const until = seconds === null ? null : since + seconds * 1_000;
    this.#shownAt = this.#parts.clock.now();
    this.#overSince = null;
    return this.#change({ ...this.#kept, message: { text, since, until } });
  }

  async takeBackMessage(): Promise<boolean> {
    this.#overSince = null;
    return this.#change({ ...this.#kept, message: null });
  }

  async switchDisplays(on: boolean): Promise<boolean> {
    return this.#change({ ...this.#kept, off: !on });
  }

  async playTestCard(seconds: number): Promise<void> {
    this.#testCardUntil = this.#parts.clock.now() + seconds * 1_000;
    await this.#tell();
  }

  /** Waits for nothing any more. */
  close(): void {
    this.#timer.set(NEVER);
  }

  async #change(kept: Kept): Promise<boolean> {
    const isKept = this.#keep(kept);
    await this.#tell();
    return isKept;
  }

  #keep(kept: Kept): boolean {
    this.#kept = kept;
    return writeSmallFile(this.#parts.path, kept);
  }

  async #tell(): Promise<void> {
    this.#wait();
    await Promise.all(this.#listeners.map((hear) => hear()));
  }

  /** The one that is to be seen. */
  get #message(): Kept["message"] {
    return this.#overSince === null ? this.#kept.message : null;
  }

  /** A message that this run has shown first keeps its time where the clock was set since: it is dated anew. */
  #date(): void {
    const { clock, time } = this.#parts;
    const { message } = this.#kept;
    if (message === null || this.#shownAt === null) return;
    const since = time() - (clock.now() - this.#shownAt);
    const setByMs = since - message.since;
    if (Math.abs(setByMs) < SET_BY_MS) return;
    const until = message.until === null ? null : message.until + setByMs;
    this.#keep({ ...this.#kept, message: { ...message, since, until } });
  }

  /** Whether the message's time is over by what the time is now, which may come to be known better. */
  #judge(): void {
    this.#date();
    const { clock, time, log } = this.#parts;
    const until = this.#kept.message?.until ?? null;
    if (until === null || time() < until) {
      if (this.#overSince !== null) log.info("the message's time is not over: the clock was ahead");
      this.#overSince = null;
      return;
    }
    if (this.#overSince === null) log.info("the message's time is over");
    this.#overSince ??= clock.now();
    if (clock.now() - this.#overSince < FORGOTTEN_AFTER_MS) return;
    this.#overSince = null;
    this.#keep({ ...this.#kept, message: null });
  }

  async #look(): Promise<void> {
    const wasShown = this.#message !== null;
    const isCardOver = this.#testCardUntil !== null && this.#parts.clock.now() >= this.#testCardUntil;
    if (isCardOver) this.#testCardUntil = null;
    this.#judge();
    if ((this.#message !== null) === wasShown && !isCardOver) return this.#wait();
    await this.#tell();
  }

  #wait(): void {
    const { clock, time } = this.#parts;
    const until = this.#kept.message?.until ?? null;
    const untilOverMs = until === null || this.#overSince !== null ? NEVER : Math.max(until - time(), 0);
    const leftMs = until === null ? NEVER : Math.min(untilOverMs, LOOK_EVERY_MS);
    this.#timer.set(this.#testCardUntil ?? NEVER, clock.now() + leftMs);
  }
}
