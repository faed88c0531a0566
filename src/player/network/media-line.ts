import { setImmediate } from "node:timers/promises";
import type { Reply } from "../../client/http.ts";
import { type Bucket, type DataDecision, fullBucket, LARGE_BYTES, takeFrom } from "../../core/media/data-budget.ts";
import { type Clock, reached } from "../clock.ts";
import type { DataMeter } from "./data-meter.ts";

/** The line that media come over: what it is too dear for, and how fast it may be used. Spots and proofs do not ask it. */
export interface MediaLine {
  /**
   * Why something must not be downloaded now, or null where it may be. `sizeBytes` is all of it as
   * far as that is known, `missingBytes` what has still to come.
   */
  refusal(sizeBytes: number, missingBytes: number): LineRefusal | null;
  /** Something was not downloaded, or not to its end, since the month's data did not suffice. */
  noteRefused(): void;
  /** Begins a download whose size is known that far. */
  enter(sizeBytes: number): Lane;
}

/** Why media must not come over the line now. */
export interface LineRefusal {
  readonly decision: Exclude<DataDecision, "allowed">;
  /** In words. */
  readonly reason: string;
}

/** A line that costs nothing. */
export const FREE_LINE: MediaLine = {
  refusal: () => null,
  noteRefused: () => {},
  enter: () => ({ take: () => null, leave: () => {} }),
};

/** A line whose bytes are counted; throttled where there is a throttle. */
export function meteredLine(meter: DataMeter, throttle: Throttle | null): MediaLine {
  return {
    refusal(sizeBytes, missingBytes) {
      const decision = meter.rule(sizeBytes, missingBytes);
      return decision === "allowed" ? null : { decision, reason: inWords(decision, meter) };
    },
    noteRefused: () => meter.noteRefused(),
    enter(sizeBytes) {
      const lane = throttle?.enter(sizeBytes > LARGE_BYTES) ?? null;
      return {
        take(bytes, signal) {
          meter.count(bytes);
          return lane?.take(bytes, signal) ?? null;
        },
        leave() {
          lane?.leave();
          meter.settle();
        },
      };
    },
  };
}

/** The HTTP client reads so much ahead of those who read from it. */
const READ_AHEAD_BYTES = 64 * 1024;

/** Counts what has come of an answer that is given up, beyond what was read of it: it is paid for. Waits for nothing more. */
export async function countUnread({ body }: Pick<Reply, "body">, line: MediaLine, signal: AbortSignal): Promise<void> {
  if (body === null || body.locked) return;
  const reader = body.getReader();
  const lane = line.enter(0);
  for (let bytes = 0; bytes < READ_AHEAD_BYTES; ) {
    const next = await Promise.race([reader.read(), setImmediate(null)]).catch(() => null);
    if (next === null || next.done) break;
    bytes += next.value.byteLength;
    void lane.take(next.value.byteLength, signal);
  }
  lane.leave();
}

function inWords(decision: LineRefusal["decision"], meter: DataMeter): string {
  switch (decision) {
    case "over-budget": {
      const { usedBytes, monthlyBytes } = meter.month();
      return `the month's data do not suffice: ${usedBytes} of ${monthlyBytes} bytes are used`;
    }
    case "outside-hours":
      return `more than ${LARGE_BYTES} bytes, outside network.largeDownloadHours`;
  }
}

/** One download's share of a throttled line. */
export interface Lane {
  /** Counts bytes that have come; resolves when more may come or the signal is raised, or is null where that is at once. */
  take(bytes: number, signal: AbortSignal): Promise<void> | null;
  leave(): void;
}

/** How long a large download lets small ones go first, each time; then it gets some bytes all the same. */
const LONGEST_YIELD_MS = 30_000;
const LOOK_AGAIN_MS = 250;

/** Holds all downloads together to one rate, small ones first. */
export class Throttle {
  readonly #bitsPerSecond: number;
  readonly #clock: Clock;
  #bucket: Bucket;
  #small = 0;

  constructor(bitsPerSecond: number, clock: Clock) {
    this.#bitsPerSecond = bitsPerSecond;
    this.#clock = clock;
    this.#bucket = fullBucket(bitsPerSecond, clock.now());
  }

  enter(isLarge: boolean): Lane {
    if (!isLarge) this.#small++;
    let left = false;
    return {
      take: (bytes, signal) => {
        const now = this.#clock.now();
        const { bucket, readyAt } = takeFrom(this.#bucket, bytes * 8, this.#bitsPerSecond, now);
        this.#bucket = bucket;
        if (isLarge) return reached(readyAt, this.#clock, signal).then(() => this.#yield(signal));
        return readyAt > now ? reached(readyAt, this.#clock, signal) : null;
      },
      leave: () => {
        if (!isLarge && !left) this.#small--;
        left = true;
      },
    };
  }

  async #yield(signal: AbortSignal): Promise<void> {
    const endAt = this.#clock.now() + LONGEST_YIELD_MS;
    while (this.#small > 0 && !signal.aborted && this.#clock.now() < endAt) {
      await reached(this.#clock.now() + LOOK_AGAIN_MS, this.#clock, signal);
    }
  }
}
