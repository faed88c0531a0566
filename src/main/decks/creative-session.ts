import type { CookiesSetDetails, Session } from "electron";
import { type Cookie, parseSetCookie } from "set-cookie-parser";
import { asWritten } from "../../client/http.ts";
import { COOKIES, type ErrorResponse, type PageHeaders } from "../../player/media/media.ts";
import type { PageAnswer, PageCache } from "../../player/media/page-cache.ts";
import { askedWith, isSamePage } from "../../player/media/page-request.ts";
import { denyDownloads, denyPermissions, type NavigationRule, sealNetwork } from "../guards.ts";
import { fileResponse } from "../protocol/file-response.ts";
import type { SessionReset } from "./session-pool.ts";

/** A page on a deck. */
export interface PageOwner {
  readonly page: PageCache;
  /** The URL of its document: of the one that it has, or is being loaded. */
  documentUrl: string;
  /** Where the document that is being loaded is redirected to. */
  redirectedTo: string | null;
  /** How many of its requests are being answered. */
  underWay: number;
  /** How many cookies its servers have set. */
  cookies: number;
  /** How often it went on to another page of its own before it was drawn; null once it was. */
  moves: number | null;
}

/** Some pages have dozens, each set anew with many answers. To set one is work for the main process, which has screens to keep. */
const MOST_COOKIES = 1_000;

/** Pages may navigate while they load, as from an index to the creative; more than a few such steps are not known. */
const MOST_MOVES = 5;

/**
 * A page may navigate within its own origins until it is drawn, and not after that. `itemUrl`: where it was to begin;
 * `shownUrl`: what it calls itself now, which its own history may have changed.
 */
export function ruleMove(target: string, itemUrl: string, owner: PageOwner, shownUrl = itemUrl): NavigationRule {
  if (owner.moves === null)
    return [owner.documentUrl, shownUrl].some((one) => isSamePage(target, one)) ? "refuse" : "forbid";
  const isRedirected = owner.redirectedTo !== null && isSamePage(target, owner.redirectedTo);
  const origins = [itemUrl, owner.documentUrl].map((one) => new URL(one).origin);
  if (!isRedirected && (!origins.includes(new URL(target).origin) || ++owner.moves > MOST_MOVES)) return "forbid";
  owner.documentUrl = target;
  owner.redirectedTo = null;
  return "allow";
}

/** What a creative's document may be, whatever its server says: scripts of its own origin, and no powers. */
const CONFINED: Readonly<Record<string, string>> = {
  "content-security-policy": "sandbox allow-scripts allow-same-origin",
  "permissions-policy": [
    "accelerometer=(), bluetooth=(), camera=(), clipboard-read=(), clipboard-write=(), display-capture=()",
    "fullscreen=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), local-fonts=(), magnetometer=()",
    "microphone=(), midi=(), payment=(), picture-in-picture=(), screen-wake-lock=(), serial=(), usb=()",
    "web-share=(), window-management=(), xr-spatial-tracking=()",
  ].join(", "),
};

/**
 * Sessions for creative pages. Every http and https request is answered by the owner's cache; the network itself is out
 * of reach, so that the cache's policy is the only one there is. What a page stored goes with it.
 */
export const creativeSessionReset: SessionReset<PageOwner> = {
  async prepare(session, owner) {
    denyPermissions(session);
    denyDownloads(session);
    const answer = async (request: Request): Promise<Response> => {
      const asking = owner();
      if (asking === null) return new Response(null, { status: 404 });
      asking.underWay++;
      // Electron says of no request what it is for.
      const isDocument = isSamePage(request.url, asking.documentUrl);
      try {
        const asked = await askedWith(request, asking.documentUrl, await cookiesFor(session, request.url));
        const answer = await asking.page.answer(request.method, request.url, isDocument ? "document" : "", asked);
        if (answer.kind === "media") {
          const takesOne = () => owner() === asking && ++asking.cookies <= MOST_COOKIES;
          await setCookies(session, answer.finalUrl ?? request.url, answer.headers, takesOne);
        }
        if (answer.kind !== "media" || answer.finalUrl === null) return respond(answer, request, isDocument);
        // What is at that address is relative to that one, and is answered from the cache, too (F21).
        if (isDocument) asking.redirectedTo = answer.finalUrl;
        return new Response(null, { status: 302, headers: { ...headersFor({}, request), location: answer.finalUrl } });
      } finally {
        asking.underWay--;
      }
    };
    session.protocol.handle("http", answer);
    session.protocol.handle("https", answer);
    await sealNetwork(session, ["http:", "https:", "data:", "blob:"]);
  },
  empty: (session) => Promise.all([session.clearStorageData(), session.clearCache(), session.clearAuthCache()]),
};

function respond(answer: PageAnswer, request: Request, isDocument: boolean): Response {
  switch (answer.kind) {
    case "media": {
      const { path, sizeBytes, contentType } = answer.media;
      const type = { "content-type": contentType || typeAskedFor(request) };
      const unseen = isDocument && PDF.test(contentType) ? { "content-type": BYTES } : {};
      const headers = { ...type, ...headersFor(answer.headers, request), ...unseen };
      const range = request.headers.get("range");
      return fileResponse({ from: path, sizeBytes, headers }, { method: request.method, range });
    }
    case "swallowed":
      return new Response(null, { status: 204, headers: { ...headersFor({}, request), ...leaveFor(request) } });
    case "refused":
      return new Response(null, { status: 403, headers: headersFor({}, request) });
    case "missing":
      // As in a browser whose network failed; a redirection that led nowhere is nothing that a page could follow.
      if (answer.status === null) return Response.error();
      if (EMPTY.includes(answer.status))
        return new Response(null, { status: answer.status, headers: headersFor({}, request) });
      return new Response(answer.response?.text ?? null, {
        status: answer.status < 400 ? 404 : answer.status,
        headers: { ...headersFor({}, request), ...typeOf(answer.response) },
      });
  }
}

/** Where Chromium asks for leave, it has it: the server itself is asked when the request comes (`pageGetBy`). */
function leaveFor({ headers }: Request): PageHeaders {
  const [method, names] = ["method", "headers"].map((what) => headers.get(`access-control-request-${what}`));
  return {
    ...(method ? { "access-control-allow-methods": method } : {}),
    ...(names ? { "access-control-allow-headers": names } : {}),
  };
}

/** Statuses of answers that have nothing in them, and are none of a failure. */
const EMPTY: readonly number[] = [204, 205];

const BYTES = "application/octet-stream";

/** Chromium's own page for it would load, and show nothing: that needs powers that no page has here. As bytes it fails. */
const PDF = /^(application|text)\/pdf\b/i;

/** What is meant by an answer without a type: browsers look at the bytes of a document, and take any style sheet for one. */
function typeAskedFor({ headers }: Request): string {
  const [accepted = ""] = headers.get("accept")?.split(",") ?? [];
  return accepted === "text/html" || accepted === "text/css" ? accepted : BYTES;
}

/** What a refusal says is text by now, whatever its charset was. */
function typeOf(response: ErrorResponse | null): PageHeaders {
  const [base = ""] = response?.contentType.split(";") ?? [];
  return base === "" ? {} : { "content-type": `${base}; charset=utf-8` };
}

const OPENER = "cross-origin-opener-policy";
const EMBEDDER = "cross-origin-embedder-policy";

/** What a maker's server says and what we add. Of two policies browsers obey both; of two permissions the later one. */
function headersFor(made: PageHeaders, request: Request): PageHeaders {
  const { [COOKIES]: _, [OPENER]: opener, ...shown } = made;
  // Nobody opens a page here. One that is not to be isolated would only find its window's size late, in another process.
  const apart = opener === undefined || made[EMBEDDER] === undefined ? {} : { [OPENER]: opener };
  const names = Object.keys(CONFINED);
  const both = names.map((name) => [name, [made[name], CONFINED[name]].filter(Boolean).join(", ")]);
  // Servers may name an origin only to whom tells them theirs; the cache asks for all pages alike.
  const origin = request.headers.get("origin");
  const anyone = {
    "access-control-allow-origin": origin ?? "*",
    "access-control-allow-credentials": String(origin !== null),
  };
  return { ...anyone, ...shown, ...apart, ...Object.fromEntries(both) };
}

/** What Chromium would send with a request; what came in from elsewhere is not told apart, since all of it is this page's. */
async function cookiesFor({ cookies }: Session, url: string): Promise<string> {
  const found = await cookies.get({ url });
  const header = found.map(({ name, value }) => (name === "" ? value : `${name}=${value}`)).join("; ");
  // As browsers send them: a header is handed over byte by byte.
  return Buffer.from(header, "utf8").toString("latin1");
}

/**
 * Sets the cookies of a server's answer: Chromium takes none from an answer that did not come over its own network.
 * `takesOne` counts each, and says whether the page may have it: none once it is closed, since the next one would find it.
 */
async function setCookies(
  { cookies }: Session,
  url: string,
  headers: PageHeaders,
  takesOne: () => boolean,
): Promise<void> {
  const lines = headers[COOKIES]?.split("\n") ?? [];
  // One at a time, because of two with one name the later one counts. A page does not fail for a cookie that is refused.
  // Not a word of its own on what it cannot read: that would be the server's to write, in the player's log.
  for (const cookie of parseSetCookie(lines.map(asWritten), { decodeValues: false, silent: true })) {
    if (!takesOne()) return;
    await cookies.set(detailsOf(cookie, url)).catch(() => {});
  }
}

const SAME_SITE: Readonly<Record<string, CookiesSetDetails["sameSite"]>> = {
  none: "no_restriction",
  lax: "lax",
  strict: "strict",
};

function detailsOf({ name, value, domain, path, secure, httpOnly, sameSite, ...lasting }: Cookie, url: string) {
  const { maxAge, expires } = lasting;
  const expiresAt = maxAge === undefined ? expires?.getTime() : Date.now() + maxAge * 1000;
  const site = SAME_SITE[sameSite?.toLowerCase() ?? ""];
  return {
    url,
    name,
    value,
    // RFC 6265 section 5.2.4: a path that does not begin with a slash is none.
    ...(path?.startsWith("/") ? { path } : { path: defaultPath(url) }),
    ...(domain === undefined ? {} : { domain }),
    ...(secure === undefined ? {} : { secure }),
    ...(httpOnly === undefined ? {} : { httpOnly }),
    ...(site === undefined ? {} : { sameSite: site }),
    ...(expiresAt === undefined ? {} : { expirationDate: expiresAt / 1000 }),
  };
}

/** RFC 6265 section 5.1.4. */
function defaultPath(url: string): string {
  const { pathname } = new URL(url);
  return pathname.slice(0, pathname.lastIndexOf("/")) || "/";
}
