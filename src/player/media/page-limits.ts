import type { Progress } from "./download.ts";

/** What one HTML creative may ask for while it is on a deck. */
export interface PageLimits {
  readonly maxRequests: number;
  readonly maxBytes: number;
}

/**
 * The bytes that one page may have, counted while they come. What a server announces is counted at once, so that what
 * cannot fit is not begun; what was received and given up stays counted, for it has been paid for.
 */
export class PageBudget {
  readonly #maxBytes: number;
  /** By request. */
  readonly #counted = new Map<symbol, number>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Counts what has come for a request; whether all of it fits beside the others. */
  fits(requestId: symbol, { receivedBytes, announcedBytes }: Progress): boolean {
    this.#counted.set(requestId, Math.max(receivedBytes, announcedBytes ?? 0));
    if (this.#sum() <= this.#maxBytes) return true;
    this.#counted.set(requestId, receivedBytes);
    return false;
  }

  /** Counts what was in the cache or has come whole; where it does not fit, it costs nothing but what came. */
  takes(requestId: symbol, sizeBytes: number): boolean {
    const before = this.#counted.get(requestId) ?? 0;
    this.#counted.set(requestId, sizeBytes);
    if (this.#sum() <= this.#maxBytes) return true;
    this.#counted.set(requestId, before);
    return false;
  }

  #sum(): number {
    let sum = 0;
    for (const sizeBytes of this.#counted.values()) sum += sizeBytes;
    return sum;
  }
}
