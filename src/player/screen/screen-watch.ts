import { createHash } from "node:crypto";
import { join } from "node:path";
import type { Logger } from "pino";
import { z } from "zod";
import type { Answer, Failure } from "../../client/answer.ts";
import { type Backoff, backoffMs } from "../../core/backoff.ts";
import { HOURS_OF_WEEK } from "../../core/opening-hours.ts";
import type { Location, Screen } from "../../wire/inventory.ts";
import type { Clock } from "../clock.ts";
import { readSmallFile, writeSmallFile } from "../small-file.ts";

const screenFactsSchema = z.object({
  /** The screen's display name, or null until it is known. */
  title: z.string().nullable(),
  opening: z
    .object({ hours: z.array(z.boolean()).min(HOURS_OF_WEEK).max(HOURS_OF_WEEK), timeZone: z.string() })
    .nullable(),
  /** Whether the service has ads for the screen at all, or null until it is known. */
  ads: z.enum(["possible", "withheld", "unapproved", "archived"]).nullable().default(null),
});

/** What the service said of a screen and its location the last time it was asked. */
export type ScreenFacts = Readonly<z.infer<typeof screenFactsSchema>>;

/** Where a screen's facts are kept, so that they survive a restart without the service. Any id makes a plain name. */
export function screenFile(dataDir: string, screenId: string): string {
  const name = createHash("sha256").update(screenId).digest("hex").slice(0, NAME_DIGITS);
  return join(dataDir, `screen-${name}.json`);
}

/** Enough that two screens of one player never share a file. */
const NAME_DIGITS = 16;

/** The facts kept, or `null` where there are none, or none that can be used. */
export function readScreenFacts(path: string): ScreenFacts | null {
  return readSmallFile(path, screenFactsSchema);
}

/** Keeps facts; `false` where the disk does not take them: they are asked for again at the next start. */
function writeScreenFacts(path: string, facts: ScreenFacts): boolean {
  return writeSmallFile(path, facts);
}

/** The part of the vendor interface that tells about a screen and where it stands. */
export interface Inventory {
  getScreen(screenId: string, signal: AbortSignal): Promise<Answer<Screen>>;
  getLocation(locationId: string, signal: AbortSignal): Promise<Answer<Location>>;
}

export interface ScreenWatchParts {
  readonly screenId: string;
  /** Where the facts are kept. */
  readonly path: string;
  /** Loaded with the first reading, not before. */
  readonly openInventory: () => Promise<Inventory>;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Whether the service's time is not known yet: an answer has told it, and another must bear that out (G13). */
  readonly isTimeAwaited?: () => boolean;
  /** Hears what is known after each reading, whether it brought something or not. */
  readonly onRead: (facts: ScreenFacts) => void;
  readonly signal: AbortSignal;
}

/** A location's hours change a few times a year: an hour is soon enough to hear of it, and nothing to the service. */
const EVERY_MS = 60 * 60_000;
/** The share of that which is left to chance, so that a fleet that started in one instant does not come back in one. */
const SPREAD = 0.2;
/** After a reading that failed: 1 min, then ever longer, up to as long as after one that did not. */
const AGAIN: Backoff = { firstMs: 60_000, longestMs: EVERY_MS, exactWaits: 0 };
/**
 * The same where the service's time is not known either. A screen that is closed or hidden asks for nothing else, and proofs from
 * before a boot wait for the time, with what is left of their hour: as often as an open screen asks for spots.
 */
const AGAIN_FOR_TIME: Backoff = { ...AGAIN, longestMs: 2 * 60_000 };
/** The first spot goes first. */
const FIRST_MS = 2_000;
/** Where the service's time waits for a second answer, a screen that asks for nothing else reads once more. */
const TIME_AGAIN_MS = 5_000;

/** Reads a screen and its location every hour or so, and keeps what it last learned. */
export class ScreenWatch {
  readonly #parts: ScreenWatchParts;
  #facts: ScreenFacts;
  #inventory: Promise<Inventory> | null = null;
  #failures = 0;
  #readAgain = false;
  /** So that a fault that stays is one line in the log. */
  #said = "";

  constructor(parts: ScreenWatchParts) {
    this.#parts = parts;
    this.#facts = readScreenFacts(parts.path) ?? { title: null, opening: null, ads: null };
  }

  /** What is known: from the last reading, in this run or an earlier one. */
  facts(): ScreenFacts {
    return this.#facts;
  }

  /** Begins to read, at once where somebody waits for it. */
  start(isAwaited: boolean): void {
    if (isAwaited) void this.#turn();
    else this.#after(FIRST_MS);
  }

  #after(ms: number): void {
    const { clock, signal } = this.#parts;
    const callOff = clock.alarm(clock.now() + ms, () => {
      signal.removeEventListener("abort", callOff);
      void this.#turn();
    });
    signal.addEventListener("abort", callOff, { once: true });
  }

  async #turn(): Promise<void> {
    const { signal, path, random, onRead } = this.#parts;
    const before = JSON.stringify(this.#facts);
    const failure = await this.#read();
    if (signal.aborted) return;
    this.#failures = failure === null ? 0 : this.#failures + 1;
    this.#say(failure);
    onRead(this.#facts);
    if (JSON.stringify(this.#facts) !== before) writeScreenFacts(path, this.#facts);
    this.#after(failure === null ? this.#waitAfterReading(random()) : this.#waitAfter(failure));
  }

  /** Once more soon for the service's time, and not again before the next reading that is due anyway. */
  #waitAfterReading(random: number): number {
    this.#readAgain = !this.#readAgain && this.#parts.isTimeAwaited?.() === true;
    return (this.#readAgain ? TIME_AGAIN_MS : EVERY_MS) * (1 - SPREAD * random);
  }

  /** Takes in what can be learned; the first failure, or null. */
  async #read(): Promise<Failure | null> {
    const { screenId, openInventory, signal } = this.#parts;
    this.#inventory ??= openInventory();
    const inventory = await this.#inventory;
    const screen = await inventory.getScreen(screenId, signal);
    if (screen.kind !== "ok") return screen;
    this.#facts = { ...this.#facts, title: screen.value.title.trim() || null };
    const location = await inventory.getLocation(screen.value.location_id, signal);
    if (location.kind !== "ok") return location;
    const { opening_168: hours, timezone: timeZone } = location.value;
    const opening = hours === null || timeZone === null ? null : { hours, timeZone };
    this.#facts = { ...this.#facts, opening, ads: adsOf(screen.value, location.value) };
    return null;
  }

  #waitAfter(failure: Failure): number {
    const { random, isTimeAwaited } = this.#parts;
    const asked = "retryAfterMs" in failure ? (failure.retryAfterMs ?? 0) : 0;
    const again = failure.kind === "unavailable" && isTimeAwaited?.() === true ? AGAIN_FOR_TIME : AGAIN;
    return Math.max(Math.min(asked, EVERY_MS), backoffMs(again, this.#failures, random()));
  }

  #say(failure: Failure | null): void {
    const { log } = this.#parts;
    const text = failure === null ? "" : complaintOf(failure);
    if (text === this.#said) return;
    this.#said = text;
    if (failure === null) log.info("the screen's entry is read again");
    else log[isFault(failure) ? "error" : "warn"](text);
  }
}

/** Opening hours aside: what is not approved, or archived, gets no spots (F3); what takes no ads gets news alone (F4). */
function adsOf(screen: Screen, location: Location): ScreenFacts["ads"] {
  if (screen.archived || location.archived) return "archived";
  if (location.status !== "APPROVED") return "unapproved";
  return screen.available_for_ads && location.available_for_ads ? "possible" : "withheld";
}

/** Somebody has to mend something; time alone does not. */
function isFault({ kind }: Failure): boolean {
  return kind === "unauthorized" || kind === "notFound";
}

function complaintOf(failure: Failure): string {
  switch (failure.kind) {
    case "unauthorized":
      return "the screen's entry cannot be read: the service does not accept the organization token";
    case "notFound":
      return "the screen's entry cannot be read: the service does not know the screen, or its location";
    case "limited":
      return "the screen's entry cannot be read now: asked too often, as the service says";
    case "unavailable":
      return `the screen's entry cannot be read now: ${failure.reason}`;
    case "invalid":
    case "conflict":
      return `the screen's entry cannot be read: the service answers ${failure.kind}`;
  }
}
