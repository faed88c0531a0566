import type { Logger } from "pino";
import type { Playout, PlayoutId } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { Media } from "../media/media.ts";
import { keyOf, type MediaCache } from "../media/media-cache.ts";
import type { Recording, Stage } from "./stage.ts";

/** What items are got ready with. */
export interface ItemMediaParts {
  readonly clock: Clock;
  readonly cache: MediaCache;
  readonly stage: Pick<Stage, "record">;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** What became of reading an item's media once more before it is cued. */
export type Rereading =
  | { readonly kind: "whole"; readonly media: Media }
  | { readonly kind: "lost" }
  /** The playout was over before. */
  | { readonly kind: "over" };

/** As many as a spot has items, so that at least half of a slow line is left to what is still due. */
export const MOST_LATE_DOWNLOADS = 2;
/** A line that does not bring an item in this time after its turn will not bring it for its next turn either. */
export const LATE_DOWNLOAD_MS = 10 * 60_000;

/**
 * The media of a screen's playouts, from the request for it until the playout is over.
 *
 * A playout that is over may have its media still on their way: it failed for being late (G3). Campaigns last for days,
 * so its creative is likely to be wanted again, and on a slow line this is the only way in which it ever gets onto the
 * disk: its download goes on in the background. `MOST_LATE_DOWNLOADS` do so at once, each for `LATE_DOWNLOAD_MS`; those
 * under way come first, since they end soonest. Any other is called off; the cache goes on where it stopped if it is
 * asked for it again. One download is enough for a creative that was late twice.
 */
export class ItemMedia {
  readonly #parts: ItemMediaParts;
  readonly #held = new Map<PlayoutId, Media>();
  readonly #attempts = new Map<PlayoutId, Attempt>();
  readonly #recordings = new Map<PlayoutId, AbortController>();
  /** What downloads go on for in the background, by the cache's keys. */
  readonly #late = new Set<string>();

  constructor(parts: ItemMediaParts) {
    this.#parts = parts;
    parts.signal.addEventListener("abort", () => {
      const attempts = [...this.#attempts.values()].map(({ control }) => control);
      for (const control of [...attempts, ...this.#recordings.values()]) control.abort(parts.signal.reason);
    });
  }

  /** Brings a playout's media onto the disk; whether it is there. What it brings is held until `letGo`. */
  fetch(playout: Playout): Promise<boolean> {
    return this.#attempt(playout, async (signal) => {
      const media = await this.#obtain(playout, signal);
      if (media !== null) this.#held.set(playout.id, media);
      return media !== null;
    });
  }

  /** Records a page that was fetched (F22), until the playout is over at the latest. */
  async record(playout: Playout): Promise<Recording> {
    const media = this.#held.get(playout.id);
    if (media === undefined) return { kind: "failed", reason: "unfetchable" };
    const control = new AbortController();
    this.#recordings.set(playout.id, control);
    if (this.#parts.signal.aborted) control.abort(this.#parts.signal.reason);
    return this.#parts.stage.record(playout, media, control.signal);
  }

  /** Minutes can have passed since it was fetched: what broke on the disk meanwhile is fetched again. */
  async reread(playout: Playout): Promise<Rereading> {
    const media = await this.#attempt(playout, async (signal) => {
      const whole = await this.#obtain(playout, signal);
      if (whole === null) return null;
      this.#release(playout.id);
      this.#held.set(playout.id, whole);
      return whole;
    });
    if (this.#parts.signal.aborted || !this.#held.has(playout.id)) return { kind: "over" };
    return media === null ? { kind: "lost" } : { kind: "whole", media };
  }

  /** The digest of a playout's media, or null where they are not on the disk. */
  digestOf({ id }: Playout): string | null {
    return this.#held.get(id)?.digest ?? null;
  }

  /** The playout is over: its media may be evicted. What is still on its way to the disk goes on or is called off. */
  letGo({ id, item }: Playout): void {
    this.#recordings.get(id)?.abort(new Error("the playout is over"));
    this.#recordings.delete(id);
    const attempt = this.#attempts.get(id);
    if (attempt === undefined) {
      this.#release(id);
      return;
    }
    const key = keyOf(item);
    const goesOn = this.#late.size < MOST_LATE_DOWNLOADS && !this.#late.has(key);
    attempt.isOver = true;
    this.#parts.log.info({ playout: id, item: item.id, goesOn }, "item over before it was on disk");
    if (goesOn) this.#goOn(key, attempt);
    else attempt.control.abort(new Error("no place among the late downloads"));
  }

  #goOn(key: string, attempt: Attempt): void {
    const { clock } = this.#parts;
    const stopAlarm = clock.alarm(clock.now() + LATE_DOWNLOAD_MS, () => {
      attempt.control.abort(new Error(`not there ${LATE_DOWNLOAD_MS} ms after its playout`));
    });
    this.#late.add(key);
    attempt.onEnd = () => {
      stopAlarm();
      this.#late.delete(key);
    };
  }

  async #attempt<T>({ id }: Playout, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const attempt: Attempt = { control: new AbortController(), isOver: false, onEnd: () => {} };
    this.#attempts.set(id, attempt);
    try {
      return await act(attempt.control.signal);
    } finally {
      this.#attempts.delete(id);
      attempt.onEnd();
      if (attempt.isOver) this.#release(id);
    }
  }

  /** Media that was read back whole just now and is held, or null where there is none. */
  async #obtain({ id, item }: Playout, signal: AbortSignal): Promise<Media | null> {
    const { url, mimeType, sizeBytes, md5 } = item;
    const outcome = await this.#parts.cache
      .obtain({ url, mimeType, sizeBytes, md5 }, signal)
      .catch((error: unknown) => ({ kind: "failed", reason: String(error) }) as const);
    if (outcome.kind === "kept") return outcome.media;
    this.#parts.log.warn({ playout: id, item: item.id, reason: outcome.reason }, "item lost");
    return null;
  }

  #release(id: PlayoutId): void {
    const held = this.#held.get(id);
    if (held !== undefined) this.#parts.cache.release(held.digest);
    this.#held.delete(id);
  }
}

/** A playout's media on their way to the disk. */
interface Attempt {
  readonly control: AbortController;
  /** The playout was over first. */
  isOver: boolean;
  onEnd: () => void;
}
