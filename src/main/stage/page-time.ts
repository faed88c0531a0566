import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../../player/clock.ts";

/**
 * A page's epoch time on our monotonic clock. Each process goes by the wall clock as it was when that process began: where
 * it was set since then, a page's time is this process's, or that of now. An instant outside the span since the deck was
 * raised is taken for now.
 */
export function instantOf(epochMs: number, clock: Clock, raisedAt: Instant): Instant {
  const now = clock.now();
  const epochNow = [performance.timeOrigin + performance.now(), Date.now()];
  const told = epochNow.map((here) => now - (here - epochMs));
  return told.find((at) => at >= raisedAt && at <= now) ?? now;
}
