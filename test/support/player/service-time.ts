import type { Instant } from "../../../src/core/spot.ts";
import type { ServiceClock } from "../../../src/player/service-clock.ts";

/**
 * Lets a clock know the service's time, exactly: by two answers just now, as it takes (G13). By the one the second that is
 * told has begun at the earliest, by the other the one before has ended.
 */
export function tellTime(serviceClock: ServiceClock, serviceTime: Instant): void {
  const { now } = serviceClock.read();
  const span = { sentAt: now, heardAt: now };
  serviceClock.hear(serviceTime, span);
  serviceClock.hear(serviceTime - 1_000, span);
}
