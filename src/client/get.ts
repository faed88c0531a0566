import { exactGet, exactTarget } from "./exact-get.ts";
import type { Get } from "./reply.ts";

/** Who asks, in every request's headers. */
export const USER_AGENT = { "user-agent": "spotloop" } as const;

/** Asks by `fetch`, and by other means where that would not send the URL as it is written (F11). No redirects. */
export function getBy(fetch: typeof globalThis.fetch): Get {
  return (url, signal) => {
    const target = exactTarget(url);
    if (target !== null) return exactGet(url, target, USER_AGENT, signal);
    return fetch(url, { redirect: "manual", headers: USER_AGENT, signal });
  };
}
