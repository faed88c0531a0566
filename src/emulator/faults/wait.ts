import type { Instant } from "../../core/spot.ts";
import type { VirtualClock } from "../clock.ts";

/** A timer can be set no farther ahead; by then it is looked at again. */
const LONGEST_TIMER_MS = 60_000;

/** Resolves once the virtual clock has reached an instant, or at once when it no longer matters. */
export function reached(clock: VirtualClock, until: Instant, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const look = () => {
      clearTimeout(timer);
      const leftMs = until - clock.now();
      if (leftMs <= 0 || signal.aborted) return end();
      const { mode, speed } = clock.reading();
      if (mode === "real") timer = setTimeout(look, Math.min(Math.ceil(leftMs / speed), LONGEST_TIMER_MS));
    };
    const forget = clock.onMoved(() => look());
    const end = () => {
      clearTimeout(timer);
      forget();
      signal.removeEventListener("abort", look);
      resolve();
    };
    signal.addEventListener("abort", look);
    look();
  });
}
