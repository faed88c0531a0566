import { isIP } from "node:net";

// Cookies that redirects set, for the requests that follow. Whoever redirects may set tens of thousands, and the screen waits
// while they are read: each is looked at once, and few are kept.

/** Headers of a request, by their names in lower case. */
type Sent = Readonly<Record<string, string>>;

/** What is looked at of an answer. */
interface Answer {
  readonly headers: Headers;
}

/** So many are brought along, those that were set last: as many as Chromium keeps of a domain. */
const MOST_COOKIES = 180;

/** Which of the cookies so far, and of those that an answer from `from` sets, are for what it redirects to. */
export function cookiesFor(to: URL, before: readonly string[], reply: Answer, from: URL): readonly string[] {
  return [...before, ...cookiesOf(reply, from)].filter((cookie) => isFor(cookie, from, to)).slice(-MOST_COOKIES);
}

/** The cookies that an answer sets, as whoever hears of them later has to be told: with the path that they are for. */
function cookiesOf({ headers }: Answer, { href }: URL): readonly string[] {
  const path = new URL(".", href).pathname;
  const set = headers.getSetCookie().slice(-MOST_COOKIES);
  return set.map((cookie) => (/;\s*path=\//i.test(cookie) ? cookie : `${cookie}; Path=${path}`));
}

/** Whether a cookie that was set on the way to one URL is for the next one, too: of the same origin, or of its domain. */
function isFor(cookie: string, from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const domain = /;\s*domain=\.?([^;\s]+)/i.exec(cookie)?.[1]?.toLowerCase() ?? "";
  const isSecret = /;\s*secure\s*(;|$)/i.test(cookie);
  return isIn(from, domain) && isIn(to, domain) && !(isSecret && to.protocol === "http:");
}

/** RFC 6265 section 5.1.3: an address is in no domain. A domain of one word is everybody's. */
function isIn({ hostname }: URL, domain: string): boolean {
  if (hostname === domain) return true;
  return /[^.]\.[^.]/.test(domain) && isIP(hostname) === 0 && hostname.endsWith(`.${domain}`);
}

/** With the cookies of the redirects before, for what the page asks later; of two with one name the later one counts. */
export function setting(cookies: readonly string[], headers: Headers): Headers {
  if (cookies.length === 0) return headers;
  const all = new Headers(headers);
  all.delete("set-cookie");
  for (const cookie of [...cookies, ...headers.getSetCookie()]) all.append("set-cookie", cookie);
  return all;
}

/** With the cookies that redirects set: a server that looks whether there are any leads round and round without. */
export function withCookies(sent: Sent | undefined, cookies: readonly string[]): Sent | undefined {
  const set = new Map<string, string>();
  for (const cookie of cookies.filter((one) => !/;\s*max-age=(0|-)/i.test(one))) {
    const pair = cookie.replace(/;.*/, "").trim();
    set.delete(nameIn(pair));
    set.set(nameIn(pair), pair);
  }
  if (set.size === 0) return sent;
  const before = (sent?.cookie ?? "").split("; ").filter((pair) => pair !== "" && !set.has(nameIn(pair)));
  return { ...sent, cookie: [...before, ...set.values()].join("; ") };
}

function nameIn(pair: string): string {
  return pair.split("=", 1)[0] ?? "";
}
