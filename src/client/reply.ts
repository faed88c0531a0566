import { discard, type FollowedReply, type Reply, succeeded, TimeUp } from "./http.ts";

// What the head of a reply tells: whether the service gave it or a captive portal, firewall or proxy did, the service's
// time, and how long it asks to wait. And why there was no reply.

/** Whether two URLs name the same host and port. */
export function isSameHost(one: string, other: string): boolean {
  return hostOf(one) !== null && hostOf(one) === hostOf(other);
}

/** Whether an answer is a page for people, as its header says, or how it begins where that says nothing of it, or JSON. */
export function isHtml({ headers }: Pick<Reply, "headers">, beginning = ""): boolean {
  const type = headers.get("content-type") ?? "";
  if (/^\s*(text\/html|application\/xhtml\+xml)\s*(;|$)/i.test(type)) return true;
  const mayBeOne = /^\s*(text\/plain|application\/octet-stream|application\/json)?\s*(;|$)/i.test(type);
  return mayBeOne && PAGE.test(beginning);
}

/** How browsers tell a page by its bytes (WHATWG MIME Sniffing, 7.1), with what else portals begin with. */
const PAGE =
  /^\uFEFF?\s*(<\?xml[^>]*>\s*)?<(!--|(!doctype\s+html|html|head|body|title|meta|link|style|script|noscript|iframe|h1|div|table|center|font|br|p|a|b)[\s/>])/i;

/** "Network Authentication Required" (RFC 6585): a captive portal that says what it is. */
const PORTAL_STATUS = 511;

/** Whether a request for JSON, from which no JSON came, met a captive portal: another host answered, or a page did. */
export function isPortals(url: string, reply: FollowedReply, beginning = ""): boolean {
  if (reply.status === PORTAL_STATUS || !isSameHost(url, reply.url)) return true;
  return succeeded(reply.status) && isHtml(reply, beginning) && !JSON_BEGINS.test(beginning);
}

/** No page does so, whatever a server calls it: many call all that they send a page. */
const JSON_BEGINS = /^\uFEFF?\s*[{[]/;

/** The service's wall clock as an answer of its own tells it, epoch milliseconds; null where it has no `Date`. */
export interface ToldTime {
  readonly time: number | null;
}

/**
 * What an answer that came from `url` tells of the service's time, or null where it is not one of the service's own: a 2xx
 * of the service's host, and no page (G13).
 */
export function toldTime(baseUrl: string, url: string, reply: Pick<Reply, "status" | "headers">): ToldTime | null {
  const isOwn = succeeded(reply.status) && isSameHost(baseUrl, url) && !isHtml(reply);
  return isOwn ? { time: dateOf(reply.headers) } : null;
}

function hostOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).host : null;
}

/** No service is obeyed for longer: a wrong header must not keep a screen on house content for days. */
const LONGEST_RETRY_AFTER_MS = 3_600_000;

/** How an HTTP-date begins in each of its three forms (RFC 9110, 5.6.7); `Date.parse` reads a date into "1.5" and "-1". */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? /;

/**
 * The wait that an answer's `Retry-After` asks for, in milliseconds and above 0, or null where it asks for none that can
 * be read: a 0, a date in the past or anything else must not make a wait shorter than it is without the header (A14).
 * Both forms are understood, seconds and an HTTP-date; a date is measured against the answer's own `Date`, so that a
 * wrong clock here does not matter.
 */
export function retryAfterMs(headers: Headers): number | null {
  const value = headers.get("retry-after")?.trim() ?? "";
  const waitMs = waitOf(value, dateOf(headers) ?? Date.now());
  return waitMs > 0 ? Math.min(waitMs, LONGEST_RETRY_AFTER_MS) : null;
}

/** Every form of a date has one; a number alone is a year to `Date.parse`. */
const TIME_OF_DAY = /\d:\d\d/;

/** In milliseconds; not a number where there is none to be read. */
function waitOf(value: string, answeredAt: number): number {
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  return HTTP_DATE.test(value) ? timeOf(value) - answeredAt : Number.NaN;
}

/** The form of C's asctime() names no zone, and is UTC as the others are (RFC 9110, 5.6.7). */
function timeOf(value: string): number {
  return Date.parse(/([a-z]|[+-]\d{4})$/i.test(value) ? value : `${value} GMT`);
}

/**
 * The service's wall clock as its answer's `Date` header tells it, epoch milliseconds, or null: also where a cache kept the
 * answer for a while (`Age`; RFC 9111, 5.1), for the date is then that of the first time.
 */
export function dateOf(headers: Headers): number | null {
  if (Number(headers.get("age")) > 0) return null;
  const written = headers.get("date")?.trim() ?? "";
  const value = TIME_OF_DAY.test(written) ? timeOf(written) : Number.NaN;
  return Number.isNaN(value) ? null : value;
}

/** A request that ended at a proxy. */
export type ProxyEnd =
  /** Nobody answers where the proxy should be. */
  | { readonly kind: "unreachable"; readonly code: string }
  /** 407: it wants a user and password, or others; `unsupported`: in which ways, such as `Negotiate`, where Basic is none of them. */
  | { readonly kind: "login"; readonly unsupported: readonly string[] }
  /** It will not, or cannot, connect to the host that was asked for. */
  | { readonly kind: "refused"; readonly status: number };

/** What is thrown where a request ended at a proxy. It may fare better the next time. */
export class ProxyFailure extends Error {
  override readonly name = "ProxyFailure";
  readonly end: ProxyEnd;

  constructor(end: ProxyEnd) {
    super(inWords(end));
    this.end = end;
  }
}

/**
 * Asks, and rejects with `ProxyFailure` where a proxy answered for itself in the host's place. One that nobody named may stand in
 * the way as well, as on a site's router.
 */
export function refusingProxies<Asked extends readonly unknown[], Answer extends Reply>(
  ask: (...asked: Asked) => Promise<Answer>,
): (...asked: Asked) => Promise<Answer> {
  return async (...asked) => {
    const reply = await ask(...asked);
    const end = proxysOwn(reply);
    if (end === null) return reply;
    await discard(reply);
    throw new ProxyFailure(end);
  };
}

/**
 * What a proxy says for itself in the place of a host that it was asked for without a tunnel: that it wants a login, or, as
 * Squid, tinyproxy, Privoxy and RFC 9209 mark it, that it will not or cannot ask. None of that is the host's word about a proof.
 */
function proxysOwn({ status, headers }: Pick<Reply, "status" | "headers">): ProxyEnd | null {
  if (status === PROXY_LOGIN_STATUS) return loginWanted(headers);
  const isSquids = headers.has("x-squid-error");
  // Of what tinyproxy passes on, the host's own name is in this header.
  const isTinyproxys = /^tinyproxy\b/i.test(headers.get("server") ?? "");
  const isPrivoxys = headers.get("last-modified") === PRIVOXY_DATE;
  const isMarked = isSquids || isTinyproxys || isPrivoxys || /;\s*error=/i.test(headers.get("proxy-status") ?? "");
  return isMarked && status >= 400 ? { kind: "refused", status } : null;
}

/** More than proxies say of their ways, which are told in log and health. */
const MOST_CHALLENGE_CHARS = 4 * 1024;

/** What a proxy's 407 wants, as far as its challenges tell (RFC 9110, 11.3). */
export function loginWanted(headers: Headers): ProxyEnd {
  const told = (headers.get("proxy-authenticate") ?? "").slice(0, MOST_CHALLENGE_CHARS);
  // A quote that is not ended goes on to the end: else it would be looked for again behind each one that is escaped.
  const challenges = told.replace(/"(\\.|[^"\\])*("|\\?$)/g, "");
  const ways = challenges.split(",").flatMap((part) => /^\s*([a-z][a-z0-9-]*)(\s|$)/i.exec(part)?.[1] ?? []);
  return { kind: "login", unsupported: ways.some((way) => /^basic$/i.test(way)) ? [] : ways };
}

/** Privoxy gives all that it says for itself this date, older than any file of a host. */
const PRIVOXY_DATE = "Wed, 08 Jun 1955 12:00:00 GMT";

/** What is told where nothing better is known. */
export const NO_REASON = "network error";

/** How far down a chain of causes a code is looked for. */
const DEEPEST_CAUSE = 5;

/**
 * Why a request got no answer, in a word: `timeout`, a code such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`, what a proxy
 * had against it, else `network error`. Never the error's own message, which can quote the URL and with it the
 * organization token.
 */
export function reasonOf(error: unknown): string {
  let cause = error;
  for (let depth = 0; depth < DEEPEST_CAUSE && cause instanceof Error; depth++) {
    if (cause instanceof TimeUp) return "timeout";
    if (cause instanceof ProxyFailure) return cause.message;
    if ("code" in cause && typeof cause.code === "string") return cause.code;
    cause = cause.cause;
  }
  return NO_REASON;
}

/** "Proxy Authentication Required" (RFC 9110, 15.5.8). */
export const PROXY_LOGIN_STATUS = 407;

/** What a 407 means, for people. */
export const WANTS_LOGIN = "the proxy wants a valid user and password (HTTP 407)";

function inWords(end: ProxyEnd): string {
  switch (end.kind) {
    case "unreachable":
      return `the proxy does not answer (${end.code})`;
    case "login":
      if (end.unsupported.length === 0) return WANTS_LOGIN;
      return `the proxy takes a login by ${end.unsupported.join(" or ")} only, which is not supported (HTTP 407)`;
    case "refused":
      return `the proxy does not connect (HTTP ${end.status})`;
  }
}
