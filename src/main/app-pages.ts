import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Session } from "electron";
import { APP_SCHEME } from "./schemes.ts";

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
  "frame-src spotloop-house:",
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

const rendererFolder = join(import.meta.dirname, "..", "renderer");

/** Serves the pages of `renderer/` to a session. Only plain names below that folder are ever looked up. */
export function serveAppPages(session: Session): void {
  session.protocol.handle(APP_SCHEME, async (request) => {
    const url = new URL(request.url);
    const type = TYPES[url.pathname.split(".").at(-1) ?? ""];
    if (url.host !== "app" || type === undefined || !/^(\/[a-z0-9-]+)+\.[a-z]+$/.test(url.pathname)) return missing();
    try {
      const body = await readFile(join(rendererFolder, url.pathname));
      return new Response(new Uint8Array(body), {
        headers: { "content-type": type, "content-security-policy": POLICY, "x-content-type-options": "nosniff" },
      });
    } catch {
      return missing();
    }
  });
}

function missing(): Response {
  return new Response(null, { status: 404 });
}
