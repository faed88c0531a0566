import type { Session } from "electron";
import type { Media } from "../player/media-cache.ts";
import { serveAppPages } from "./app-pages.ts";
import { fileResponse } from "./file-response.ts";
import { denyDownloads } from "./guards/downloads.ts";
import { sealNetwork } from "./guards/network.ts";
import { denyPermissions } from "./guards/permissions.ts";
import { APP_SCHEME, MEDIA_SCHEME } from "./schemes.ts";

/** The one file that a media deck plays. */
export interface MediaGuest {
  readonly media: Media;
  /** The base type promised with the item. */
  readonly mimeType: string;
}

/** Prepares a session for media decks: our own page and the one file that is cued, by its digest; no network at all. */
export async function prepareMediaSession(session: Session, guest: () => MediaGuest | null): Promise<void> {
  denyPermissions(session);
  denyDownloads(session);
  serveAppPages(session);
  session.protocol.handle(MEDIA_SCHEME, (request) => serve(request, guest()));
  await sealNetwork(session, [`${APP_SCHEME}:`, `${MEDIA_SCHEME}:`]);
}

function serve(request: Request, guest: MediaGuest | null): Response {
  if (guest === null || new URL(request.url).pathname !== `/${guest.media.digest}`) {
    return new Response(null, { status: 404 });
  }
  if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 });
  const { path, sizeBytes } = guest.media;
  const headers = { "content-type": guest.mimeType, "x-content-type-options": "nosniff" };
  const range = request.headers.get("range");
  return fileResponse({ path, sizeBytes, headers }, { method: request.method, range });
}
