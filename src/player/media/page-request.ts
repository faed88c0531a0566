import { createHash } from "node:crypto";
import { readText } from "../../client/http.ts";
import type { PageHeaders } from "./media.ts";

/** What a page asks for a URL with; names of headers in lower case. */
export interface AskedWith {
  /** As browsers send them with any request: they do not change what a URL stands for. */
  readonly usual: PageHeaders;
  /** Given by the page itself: with others, the URL stands for something else. */
  readonly own: PageHeaders;
  /** JSON that it posts, as interfaces want it that take queries so; null where it gets. */
  readonly query: string | null;
}

export const PLAINLY: AskedWith = { usual: {}, own: {}, query: null };

/** A longer one goes nowhere, as whatever else is posted. */
const MOST_QUERY_BYTES = 64 * 1024;

/** What browsers ask for of their own accord: a page, a style sheet, a picture, anything. */
const USUAL_ACCEPT = /^(text\/html|text\/css|image\/|\*\/\*)/;

/**
 * Not the page's to say: what is about the connection and the cache, which are ours, what browsers let no page say, and
 * what tells one load from another: with it nothing recorded would ever be found again.
 */
const NOT_SENT: readonly RegExp[] = [
  /^(accept-encoding|cache-control|connection|content-.*|cookie2?|date|dnt|expect|host|if-.*|keep-alive|origin|pragma|range)$/,
  /^(proxy-.*|referer|sec-.*|te|trailer|transfer-encoding|upgrade.*|user-agent|via)$/,
  /^(b3|baggage|newrelic|request-id|sentry-trace|trace.*|x-amzn-trace-id|x-b3-.*|x-correlation-id|x-datadog-.*|x-request-id)$/,
];

/** A query as its interface knows it: forms, beacons and files are posted as something else. */
const IS_QUERY = /^application\/([a-z.-]+\+)?json\s*(;|$)/i;

/** Reads a request of the page of that URL, or of a frame in it; `cookie`: as the header is to be, or empty. */
export async function askedWith(request: Request, pageUrl: string, cookie: string): Promise<AskedWith> {
  const usual: Record<string, string> = {};
  const own: Record<string, string> = {};
  for (const [name, value] of request.headers) {
    if (NOT_SENT.some((pattern) => pattern.test(name))) continue;
    if (name === "accept" && USUAL_ACCEPT.test(value)) usual[name] = value;
    else own[name] = value;
  }
  const referrer = request.referrer.startsWith("http") ? request.referrer : null;
  if (referrer !== null) usual.referer = referrer;
  if (cookie !== "") usual.cookie = cookie;
  const type = request.headers.get("content-type") ?? "";
  const isQuery = request.method === "POST" && IS_QUERY.test(type);
  const query = (isQuery && (await readText(request, MOST_QUERY_BYTES))) || null;
  if (query !== null) usual["content-type"] = type;
  const asked = { usual, own, query };
  if (!isPlain(asked)) usual.origin = new URL(referrer ?? pageUrl).origin;
  return asked;
}

/** Whether it is asked for as by anybody. */
export function isPlain({ own, query }: AskedWith = PLAINLY): boolean {
  return query === null && Object.keys(own).length === 0;
}

/** Characters of all names and values of the headers. */
export function charsOfHeaders({ usual, own }: AskedWith): number {
  return [...Object.entries(usual), ...Object.entries(own)].flat().join("").length;
}

/**
 * By what the cache knows what a page has for a URL: the URL without its fragment, which never leaves the browser, and in
 * that place a digest of the headers and the query that are the page's own, if there are any, and of the other origin that
 * asks with them.
 */
export function addressOf(url: string, asked: AskedWith = PLAINLY): string {
  const address = new URL(url);
  address.hash = isPlain(asked) ? "" : `with-${digestOf(asked, address.origin)}`;
  return address.href;
}

/** Whether two URLs name one page. */
export function isSamePage(one: string, other: string): boolean {
  return addressOf(one) === addressOf(other);
}

/** A server of another origin may name in its answer the one that asks, and Chromium gives that answer to no other (CORS). */
function digestOf({ usual, own, query }: AskedWith, serversOrigin: string): string {
  const sorted = Object.entries(own).sort(([one], [other]) => (one < other ? -1 : 1));
  const foreign = usual.origin === undefined || usual.origin === serversOrigin ? [] : [usual.origin];
  return createHash("sha256")
    .update(JSON.stringify([sorted, query, ...foreign]))
    .digest("hex");
}
