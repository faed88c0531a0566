import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { app, protocol, type Session } from "electron";

/** Our own pages, from the package: `spotloop://app/media/media.html`. */
export const APP_SCHEME = "spotloop";
/** Media by content address, from the cache: `spotloop-media://cache/<sha256>`. Only media decks have it. */
export const MEDIA_SCHEME = "spotloop-media";

/** House content from the operator's folder, by item: `spotloop-house://<id>/index.html`. Only the slate has it. */
export const HOUSE_SCHEME = "spotloop-house";

/** Makes the schemes known to Chromium; must run before the app is ready. */
export function registerSchemes(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges },
    { scheme: MEDIA_SCHEME, privileges },
    { scheme: HOUSE_SCHEME, privileges },
  ]);
}

/** The URL of one of our pages. */
export function appUrl(path: string): string {
  return `${APP_SCHEME}://app/${path}`;
}

/** The URL of a file of an item of house content. */
export function houseUrl(id: string, name: string): string {
  return `${HOUSE_SCHEME}://${id}/${name.split(/[\\/]/).map(encodeURIComponent).join("/")}`;
}

/** The URL of the media with a SHA-256 digest, in 64 hexadecimal digits. */
export function mediaUrl(digest: string): string {
  return `${MEDIA_SCHEME}://cache/${digest}`;
}

/**
 * Our own pages may load our own scripts and styles, media from the cache, and house content; nothing else, from nowhere
 * (CSP3). Which of these there is depends on the session.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' spotloop-media: spotloop-house:",
  "media-src spotloop-media: spotloop-house:",
  "connect-src spotloop-media:",
  // An operator's page that leaves is kept where it is; refused by this policy, it would be gone.
  "frame-src spotloop-house: http: https:",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join("; ");

const TYPES: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
};

/** Serves the pages of `renderer/` to a session. Only plain names below that folder are ever looked up. */
export function serveAppPages(session: Session): void {
  // A page that comes again has the session of the one before.
  if (session.protocol.isProtocolHandled(APP_SCHEME)) return;
  session.protocol.handle(APP_SCHEME, async (request) => {
    const url = new URL(request.url);
    const type = TYPES[url.pathname.split(".").at(-1) ?? ""];
    if (url.host !== "app" || type === undefined || !/^(\/[a-z0-9-]+)+\.[a-z]+$/.test(url.pathname)) return missing();
    try {
      const body = await readFile(join(app.getAppPath(), "dist/renderer", url.pathname));
      return new Response(new Uint8Array(body), {
        headers: { "content-type": type, "content-security-policy": POLICY, "x-content-type-options": "nosniff" },
      });
    } catch {
      // As a failure: a page that is answered 404 counts as loaded.
      return Response.error();
    }
  });
}

function missing(): Response {
  return new Response(null, { status: 404 });
}
