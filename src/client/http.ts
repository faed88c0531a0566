import { isUtf8 } from "node:buffer";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { cookiesFor, setting, withCookies } from "./redirect-cookies.ts";

/** The parts of an HTTP answer that are looked at; a `Response` is one. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadableStream<Uint8Array> | null;
}

/** The last answer after redirects, and the URL that gave it. */
export interface FollowedReply extends Reply {
  readonly url: string;
}

/** Headers of a request, by their names in lower case. */
type Sent = Readonly<Record<string, string>>;

/** One GET, or a POST of a body, without following redirects; rejects when there is no answer. */
export type Get = (url: string, signal: AbortSignal, headers?: Sent, body?: string | null) => Promise<Reply>;

/** GETs a URL with a request target of one's own: a proof is sent byte for byte as received (F11). No redirects. */
export type ExactGet = (url: string, target: string, headers: Sent, signal: AbortSignal) => Promise<Reply>;

/** A body that nobody needs is read so far, to leave its connection usable; beyond it the connection is given up. */
const DISCARD_BYTES = 64 * 1024;
const DISCARD_MS = 500;

/** Redirects are followed so many times (F21). */
const MOST_REDIRECTS = 5;

/** Who asks, in every request's headers. */
export const USER_AGENT = { "user-agent": "spotloop" } as const;

/** No cache on the way is to answer: a spot would be shown again, a proof would not arrive, a screen would seem unchanged. */
export const ANSWERED_ANEW = { ...USER_AGENT, "cache-control": "no-cache" } as const;

/** Asks by `fetch`, which may write the URL otherwise (`/a/../b`, `{id}`). No redirects. */
export function getBy(fetch: typeof globalThis.fetch): Get {
  return (url, signal, headers) => {
    return fetch(url, { redirect: "manual", headers: { ...ANSWERED_ANEW, ...headers }, signal });
  };
}

/** The same for proofs, by other means where `fetch` would not send the URL as it is written (F11). */
export function exactGetBy(fetch: typeof globalThis.fetch, sendExactly: ExactGet = exactGet): Get {
  const get = getBy(fetch);
  return (url, signal, headers) => {
    const target = exactTarget(url);
    if (target === null) return get(url, signal, headers);
    return sendExactly(url, target, { ...ANSWERED_ANEW, ...headers }, signal);
  };
}

/**
 * GETs a URL, or posts it a body, and follows its redirects. The reply is the last one: still a redirect where there were more than
 * `MOST_REDIRECTS`, or where one led nowhere that can be followed.
 */
export async function follow(
  get: Get,
  url: string,
  signal: AbortSignal,
  headers?: Sent,
  body: string | null = null,
): Promise<FollowedReply> {
  let at = url;
  let sent: Sent | undefined = headers;
  let posted = body;
  let cookies: readonly string[] = [];
  let reply = await get(at, signal, sent, posted);
  for (let hops = 0; hops < MOST_REDIRECTS; hops++) {
    const next = nextStop(reply, at);
    if (next === null) break;
    await discard(reply);
    const [from, to] = [new URL(at), new URL(next)];
    cookies = cookiesFor(to, cookies, reply, from);
    sent = withCookies(to.origin === from.origin ? sent : forOthers(sent), cookies);
    if (!AS_IT_WAS.includes(reply.status)) [posted, sent] = [null, ofGet(sent)];
    at = next;
    reply = await get(at, signal, sent, posted);
  }
  return { status: reply.status, headers: setting(cookies, reply.headers), body: reply.body, url: at };
}

/** What of one origin's headers is for another, too: no secrets, and of where it is asked from only the origin. */
function forOthers({ authorization: _, cookie: __, referer, ...others }: Sent = {}): Sent {
  return referer === undefined ? others : { ...others, referer: new URL("/", referer).href };
}

function ofGet({ "content-type": _, ...others }: Sent = {}): Sent {
  return others;
}

function nextStop(reply: Reply, from: string): string | null {
  if (!REDIRECTS.includes(reply.status)) return null;
  const told = reply.headers.get("location");
  const location = told === null ? null : asWritten(told);
  if (location === null || !URL.canParse(location, from)) return null;
  const next = new URL(location, from);
  // A URL with a user or password is one that `fetch` refuses.
  const isCallable = /^https?:$/.test(next.protocol) && next.username === "" && next.password === "";
  return isCallable ? next.href : null;
}

/** A header is handed over byte by byte; many servers write UTF-8 into it, as browsers read it. */
export function asWritten(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : header;
}

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];
/** Of these, those by which a POST stays one. */
const AS_IT_WAS: readonly number[] = [307, 308];

/**
 * The path and query of a URL exactly as written, where `fetch` would write them differently (`/a/../b`, `{id}`, a quote
 * in the query); null where it would not, and where HTTP has no way to send them. Spaces and letters beyond ASCII, which it
 * cannot carry, are encoded as `fetch` does.
 */
function exactTarget(url: string): string | null {
  const written = /^https?:\/\/[^/?#@\\]+([/?][^#]*)/i.exec(url)?.[1];
  if (written === undefined || UNSENDABLE.test(written)) return null;
  const carried = written.trimEnd().replace(/[^!-~]+/g, encodeURIComponent);
  const target = carried.startsWith("?") ? `/${carried}` : carried;
  const { pathname, search } = new URL(url);
  return target === pathname + search ? null : target;
}

/** A backslash, which browsers take for a slash, control characters, and halves of a character. */
const UNSENDABLE = /[\\\p{Cc}\p{Cs}]/u;

/** Does so by Node's own means, straight to the host. */
export const exactGet: ExactGet = (url, target, headers, signal) => {
  const address = new URL(url);
  const request = address.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const asked = request(address, { path: target, headers, signal }, (message) => {
      resolve({ status: message.statusCode ?? 0, headers: headersOf(message.headers), body: bodyOf(message) });
    });
    asked.on("error", reject);
    asked.end();
  });
};

/** The headers of an answer that was read by other means than `fetch`, as the platform would have them. */
export function headersOf(told: Readonly<Record<string, string | readonly string[] | undefined>>): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(told)) {
    for (const value of typeof values === "string" ? [values] : values) headers.append(name, value);
  }
  return headers;
}

/** What Node reads as an answer's body, as the platform would have it. */
export function bodyOf(message: Readable): NonNullable<Reply["body"]> {
  const body: NodeReadableStream<Uint8Array> = Readable.toWeb(message);
  return body as NonNullable<Reply["body"]>;
}

/** What a request is broken off with when its time is up. */
export class TimeUp extends Error {
  override readonly name = "TimeUp";
}

/** Node's timers take no more: a longer time would be over at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Runs `act` with a controller of its own, which the caller's signal aborts, too, until `act` has settled. In place of
 * `AbortSignal.any`: what that hangs on a signal that lives as long as the player is kept for as long.
 */
export async function underControl<T>(signal: AbortSignal, act: (control: AbortController) => Promise<T>): Promise<T> {
  const control = new AbortController();
  const callOff = () => control.abort(signal.reason);
  signal.addEventListener("abort", callOff);
  if (signal.aborted) callOff();
  try {
    return await act(control);
  } finally {
    signal.removeEventListener("abort", callOff);
  }
}

/**
 * Runs `act` with a signal that is raised when the caller's is, or after `limitMs`. Settles at once then, even if `act`
 * pays no attention; rejects with the caller's reason or with `TimeUp`.
 */
export function within<T>(limitMs: number, signal: AbortSignal, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return underControl(signal, async (control) => {
    control.signal.throwIfAborted();
    const timeUp = () => control.abort(new TimeUp(`no answer within ${limitMs} ms`));
    const timer = setTimeout(timeUp, Math.min(limitMs, LONGEST_TIMER_MS));
    const brokenOff = new Promise<never>((_, reject) => {
      control.signal.addEventListener("abort", () => reject(control.signal.reason));
    });
    try {
      return await Promise.race([brokenOff, act(control.signal)]);
    } finally {
      clearTimeout(timer);
    }
  });
}

/** Reads a body as UTF-8 text, or gives up and returns null once it is longer than `limitBytes`. */
export async function readText({ body }: Pick<Reply, "body">, limitBytes: number): Promise<string | null> {
  if (body === null) return "";
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new TextDecoder().decode(Buffer.concat(chunks));
    sizeBytes += value.byteLength;
    if (sizeBytes > limitBytes) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
}

/** So many characters of a body tell whether it is a page. */
const BEGINNING = 1_024;

/** Gets rid of a body whose status said all (A2); how it begins. Never rejects: however the body ends, the status stands. */
export async function discard(reply: Reply): Promise<string> {
  if (reply.body === null) return "";
  let beginning = "";
  const reader = reply.body.getReader();
  const giveUp = () => reader.cancel().catch(() => undefined);
  const timer = setTimeout(giveUp, DISCARD_MS);
  try {
    for (let leftBytes = DISCARD_BYTES; leftBytes > 0; ) {
      const { done, value } = await reader.read();
      if (done) return beginning;
      if (beginning.length < BEGINNING) beginning += Buffer.from(value.subarray(0, BEGINNING)).toString("utf8");
      leftBytes -= value.byteLength;
    }
    await giveUp();
  } catch {
    // What has come tells as much.
  } finally {
    clearTimeout(timer);
  }
  return beginning;
}

export function succeeded(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether a status may be different next time (G7, G8); 429 is one too, but named apart. */
export function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status >= 500;
}
