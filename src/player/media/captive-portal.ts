import { succeeded } from "../../client/http.ts";
import { isHtml, isSameHost } from "../../client/reply.ts";
import { countUnread, type MediaLine } from "../network/media-line.ts";
import type { Downloaded, GetFollowed, MediaRequest } from "./download.ts";
import type { IndexedMedia } from "./media.ts";

// A captive portal redirects whatever is asked for by `http:` to a page of its own, until somebody has logged in (G8).

/** Thrown where a captive portal's page came in the place of a file. */
class CaptivePortal extends Error {
  override readonly name = "CaptivePortal";

  constructor(url: string) {
    super(`${new URL(url).hostname} answers with a page`);
  }
}

/**
 * GETs for which a captive portal's page is no answer, but where a page is asked for: servers of pages redirect to other
 * hosts, too, and a first page cannot be told from a portal's.
 */
export function refusingPortals(fetch: GetFollowed, line: MediaLine): GetFollowed {
  return async (url, signal, headers, body) => {
    const reply = await fetch(url, signal, headers, body);
    const isPortals = succeeded(reply.status) && isElsewhere(url, reply.url) && isHtml(reply);
    if (asksForPage(headers) || !isPortals) return reply;
    await countUnread(reply, line, signal);
    throw new CaptivePortal(reply.url);
  };
}

/** Whether what came as the new version of a page may be a captive portal's: the version that is there is not of that host. */
export function isPortalsVersion(
  { url, mimeType }: MediaRequest,
  { contentType, finalUrl }: IndexedMedia,
  now: Downloaded,
): boolean {
  const isPage = (headers: Headers) => mimeType === "text/html" || isHtml({ headers });
  if (!isElsewhere(url, now.finalUrl) || !isPage(now.headers)) return false;
  const wasPage = isPage(new Headers({ "content-type": contentType }));
  return !wasPage || finalUrl === null || !isSameHost(finalUrl, now.finalUrl);
}

/** Nobody can redirect what is asked for by `https:` but its own server. */
function isElsewhere(url: string, finalUrl: string): boolean {
  return /^http:/i.test(url) && !isSameHost(url, finalUrl);
}

/** As for a document, and what is shown in a frame. */
function asksForPage(headers: Readonly<Record<string, string>> = {}): boolean {
  return headers.accept?.startsWith("text/html") === true;
}
