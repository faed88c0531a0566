import { isTransient, type Reply, readText, within } from "../../client/http.ts";
import { PROXY_LOGIN_STATUS, WANTS_LOGIN } from "../../client/reply.ts";
import type { Instant } from "../../core/spot.ts";

/** Media on the disk, whole. */
export interface Media {
  readonly digest: string;
  readonly path: string;
  readonly sizeBytes: number;
  /** The Content-Type it came with, or empty. */
  readonly contentType: string;
}

/** What becomes of asking for media. `deferred`: nobody was asked, since the line is too dear for it now. */
export type MediaOutcome = Kept | (Miss & { readonly kind: "failed"; readonly deferred?: true });

/** Why something was not had. */
export interface Miss {
  readonly reason: string;
  /** Another try may succeed, as when the network is gone. */
  readonly transient: boolean;
  /** The server's answer, where it refused. */
  readonly status: number | null;
  /** The body of that answer. */
  readonly response?: ErrorResponse | null;
}

/** Media that is held, and what is known of it. */
export interface Kept {
  readonly kind: "kept";
  readonly media: Media;
  /** Whether it was in the cache; otherwise it came over the network just now. */
  readonly found: boolean;
  readonly headers: PageHeaders;
  /** Where it came from, if not from the URL that was asked for (F21). */
  readonly finalUrl: string | null;
}

/** What the cache knows of a URL: which bytes it stands for. */
export interface IndexedMedia {
  readonly digest: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  /** What the server called this version (RFC 9110 section 8.8), each as sent, or `null`. */
  readonly etag: string | null;
  readonly lastModified: string | null;
  /** Wall time from which it may have changed at its server. */
  readonly freshUntil: Instant;
  /** What its server said of how it is to be shown. */
  readonly headers: PageHeaders;
  /** Where it came from, if not from the URL itself. */
  readonly finalUrl: string | null;
}

/** Headers of an answer, by their names in lower case. */
export type PageHeaders = Readonly<Record<string, string>>;

/**
 * What is about one answer, its way here and its caches, and what would have Chromium report, ask for or load more: nothing
 * to a page that is played from the disk. All else is its maker's word on how it is to be shown, or for its scripts.
 */
const NOT_KEPT: readonly RegExp[] = [
  /^(accept-.*|age|alt-svc|cache-control|connection|date|etag|expires|keep-alive|location|pragma|te|trailer|vary|via|warning)$/,
  /^(content-(disposition|encoding|length|location|range)|proxy-.*|transfer-encoding|upgrade|www-authenticate)$/,
  /^(clear-site-data|critical-ch|nel|no-vary-search|report-to|reporting-endpoints|.*-report-only|speculation-rules)$/,
  /^(service-worker-navigation-preload|strict-transport-security|supports-loading-mode|use-as-dictionary)$/,
];

/** Characters of headers, kept of one answer and sent for a page: all that the HTTP client takes in, so that no policy is half kept. */
export const MOST_HEADER_CHARS = 16 * 1024;

/** The one header that may come several times without being a list: each is kept on a line of its own. */
export const COOKIES = "set-cookie";

/** The headers of an answer that a page is to get with its bytes, and the cookies that it is to find. */
export function pageHeaders(headers: Headers): PageHeaders {
  const kept: Record<string, string> = {};
  let left = MOST_HEADER_CHARS;
  // Each cookie is a key of its own.
  for (const name of new Set(headers.keys())) {
    const value = name === COOKIES ? headers.getSetCookie().join("\n") : headers.get(name);
    if (!value || value.length > left || NOT_KEPT.some((pattern) => pattern.test(name))) continue;
    left -= value.length;
    kept[name] = value;
  }
  return kept;
}

/** What is had of a file of which the rest is asked for. */
interface HadOfFile {
  readonly sizeBytes: number;
  /** All of it, where that is known. */
  readonly totalBytes: number | null;
  /** Its version, as `validatorIn` its first answer. */
  readonly validator: string | null;
}

/**
 * The size of a file of which an answer brings what comes next, and perhaps not all of that (RFC 9110, 14.4), or null: it
 * brings another range, or nobody knows how long the file is, or a server that takes no notice of If-Range sends of
 * another version.
 */
export function totalOfRest({ sizeBytes, totalBytes, validator }: HadOfFile, headers: Headers): number | null {
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get("content-range") ?? "") ?? [];
  if (start === undefined || Number(start) !== sizeBytes) return null;
  const announcedBytes = total === "*" ? null : Number(total);
  if (sizeBytes === 0) return announcedBytes;
  const version = headers.get(validator?.startsWith('"') ? "etag" : "last-modified") ?? validator;
  if (version !== validator) return null;
  if (announcedBytes !== null && totalBytes !== null && announcedBytes !== totalBytes) return null;
  return announcedBytes ?? totalBytes;
}

/** The size of the file that an answer brings whole, or null: the length of a compressed one is not that of its bytes. */
export function sizeIn(headers: Headers): number | null {
  return isDecoded(headers) ? null : lengthIn(headers);
}

/** How many bytes follow an answer's head, or null where it does not say. */
export function lengthIn(headers: Headers): number | null {
  const length = headers.get("content-length");
  return length === null || Number.isNaN(Number(length)) ? null : Number(length);
}

/** A weak ETag tells nothing about bytes, and those of a compressed answer are not the ones that arrive here. */
export function validatorIn(headers: Headers): string | null {
  if (isDecoded(headers)) return null;
  const etag = headers.get("etag");
  return etag?.startsWith('"') ? etag : headers.get("last-modified");
}

/**
 * Whether the HTTP client hands over other bytes than were sent: it decodes where it knows every coding in the list. All
 * else that servers write there (`identity`, `aws-chunked`, `utf-8`) leaves the bytes as they are.
 */
function isDecoded(headers: Headers): boolean {
  const codings = headers.get("content-encoding")?.toLowerCase().split(",") ?? [];
  return codings.length > 0 && codings.every((coding) => DECODED.includes(coding.trim()));
}

const DECODED: readonly string[] = ["gzip", "x-gzip", "deflate", "br", "zstd"];

/** What a server says with a refusal: a page may read it, or show it in a frame. */
export interface ErrorResponse {
  readonly contentType: string;
  readonly text: string;
}

/** What an answer without the file comes to. Only `unreachable` may be better next time. */
export type Refusal =
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "refused"; readonly status: number; readonly response: ErrorResponse | null };

/** The most that is kept of an error response, and how long it may take; a longer one counts as none. */
const MOST_RESPONSE_BYTES = 4 * 1024;
const RESPONSE_WITHIN_MS = 1_000;

/** Reads an answer whose status says that there is no file. */
export async function refusalOf(reply: Reply, signal: AbortSignal): Promise<Refusal> {
  const { status } = reply;
  if (status === PROXY_LOGIN_STATUS) return { kind: "unreachable", reason: WANTS_LOGIN };
  if (status === 429 || isTransient(status)) return { kind: "unreachable", reason: `status ${status}` };
  const response = await within(RESPONSE_WITHIN_MS, signal, () => responseIn(reply)).catch(() => null);
  return { kind: "refused", status, response };
}

async function responseIn(reply: Reply): Promise<ErrorResponse | null> {
  const text = await readText(reply, MOST_RESPONSE_BYTES);
  return text ? { contentType: reply.headers.get("content-type") ?? "", text } : null;
}
