import { discard, type Get, within } from "../../client/http.ts";

/** What browsers send without asking first (Fetch, CORS-safelisted), and what is not the page's but theirs or the cache's. */
const NEEDS_NO_LEAVE =
  /^(accept|accept-encoding|accept-language|content-language|cookie|if-.*|origin|range|referer|user-agent)$/;

/** How long a server may take to give leave. */
const LEAVE_WITHIN_MS = 5_000;

/**
 * GETs, or POSTs a body, as a page would. Where the headers name another origin that asks, and have something that not
 * every server takes, the server is asked first (Fetch, CORS-preflight); if it says no, that counts as its 403.
 */
export function pageGetBy(fetch: typeof globalThis.fetch): Get {
  return async (url, signal, headers = {}, body = null) => {
    const method = body === null ? "GET" : "POST";
    if (!(await hasLeave(fetch, url, signal, method, headers))) return REFUSED;
    return fetch(url, { redirect: "manual", signal, method, headers: { ...headers }, body });
  };
}

const REFUSED = { status: 403, headers: new Headers(), body: null };

async function hasLeave(
  fetch: typeof globalThis.fetch,
  url: string,
  signal: AbortSignal,
  method: string,
  headers: Readonly<Record<string, string>>,
): Promise<boolean> {
  const { origin } = headers;
  const names = Object.keys(headers).filter((name) => !NEEDS_NO_LEAVE.test(name));
  if (origin === undefined || origin === new URL(url).origin || names.length === 0) return true;
  const question = {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": names.sort().join(","),
    ...(headers["user-agent"] === undefined ? {} : { "user-agent": headers["user-agent"] }),
  };
  const answer = await within(LEAVE_WITHIN_MS, signal, (raised) =>
    fetch(url, { method: "OPTIONS", redirect: "manual", signal: raised, headers: question }),
  );
  await discard(answer);
  const allowed = (name: string) =>
    answer.headers
      .get(`access-control-allow-${name}`)
      ?.toLowerCase()
      .split(",")
      .map((one) => one.trim()) ?? [];
  const taken = allowed("headers");
  // All of them may be named by a star, but for one (Fetch, CORS non-wildcard request-header name).
  const isTaken = (name: string) => taken.includes(name) || (taken.includes("*") && name !== "authorization");
  return answer.ok && allowed("origin").some((one) => one === "*" || one === origin) && names.every(isTaken);
}
