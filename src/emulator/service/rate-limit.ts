import type { RouteMatch } from "../../wire/routes.ts";
import type { Network } from "../network.ts";
import { screenKey } from "../network.ts";
import type { RateLimit } from "../world/schema.ts";

/** The most windows counted at a time; at that many the oldest are forgotten, which only lets calls through. */
const MOST_WINDOWS = 10_000;

/** Counts a call against every limit; the whole seconds to wait when it is one too many, `null` when it may go on (A14). */
export function overLimit(
  { state: { windows }, world, clock }: Network,
  { route, parameters }: RouteMatch,
): number | null {
  const now = clock.now();
  let waitMs = 0;
  for (const [index, limit] of world.rateLimits.entries()) {
    const counted = subject(limit, route, parameters);
    if (counted === null) continue;
    const key = `${index}/${counted}`;
    const lengthMs = limit.seconds * 1000;
    const window = windows.get(key);
    const current =
      window !== undefined && now >= window.since && now < window.since + lengthMs ? window : { since: now, calls: 0 };
    if (current.calls >= limit.calls) waitMs = Math.max(waitMs, current.since + lengthMs - now);
    else current.calls += 1;
    windows.delete(key);
    windows.set(key, current);
  }
  for (const oldest of windows.keys()) {
    if (windows.size <= MOST_WINDOWS) break;
    windows.delete(oldest);
  }
  return waitMs === 0 ? null : Math.ceil(waitMs / 1000);
}

/** What a call counts for. A route's limit is shared by everyone; a call without a screen counts for none. */
function subject(
  limit: RateLimit,
  route: string,
  { org_token = "", screen_id }: RouteMatch["parameters"],
): string | null {
  switch (limit.per) {
    case "token":
      return org_token;
    case "screen":
      return screen_id === undefined ? null : screenKey(org_token, screen_id);
    case "route":
      return route;
  }
}
