import { discard, type Get, type Reply } from "./reply.ts";

/** Redirects are followed so many times (F21). */
export const MOST_REDIRECTS = 5;

/**
 * GETs a URL and follows its redirects. The reply is the last one: still a redirect where there were more than
 * `MOST_REDIRECTS`, or where one led nowhere that can be followed.
 */
export async function follow(
  get: Get,
  url: string,
  signal: AbortSignal,
  headers?: Readonly<Record<string, string>>,
): Promise<Reply> {
  let at = url;
  let reply = await get(at, signal, headers);
  for (let hops = 0; hops < MOST_REDIRECTS; hops++) {
    const next = nextStop(reply, at);
    if (next === null) return reply;
    await discard(reply);
    at = next;
    reply = await get(at, signal, headers);
  }
  return reply;
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

function nextStop(reply: Reply, from: string): string | null {
  if (!REDIRECTS.includes(reply.status)) return null;
  const location = reply.headers.get("location");
  if (location === null || !URL.canParse(location, from)) return null;
  const next = new URL(location, from);
  return next.protocol === "http:" || next.protocol === "https:" ? next.href : null;
}
