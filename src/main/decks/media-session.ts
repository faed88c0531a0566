import type { Media } from "../../player/media/media-cache.ts";
import { serveAppPages } from "../app-pages.ts";
import { fileResponse } from "../file-response.ts";
import { denyDownloads } from "../guards/downloads.ts";
import { sealNetwork } from "../guards/network.ts";
import { denyPermissions } from "../guards/permissions.ts";
import { APP_SCHEME, MEDIA_SCHEME } from "../schemes.ts";
import type { Housekeeping } from "./session-pool.ts";

/** A file as a media deck plays it. */
export interface MediaFile {
  readonly media: Media;
  /** The base type promised with the item. */
  readonly mimeType: string;
}

/** The one file that a media deck may read; `null` until it is known. */
export interface MediaTray {
  file: MediaFile | null;
}

/** Sessions for media decks: our own page and the one file that is cued, by its digest; no network at all. */
export const mediaHousekeeping: Housekeeping<MediaTray> = {
  async prepare(session, tray) {
    denyPermissions(session);
    denyDownloads(session);
    serveAppPages(session);
    session.protocol.handle(MEDIA_SCHEME, (request) => serve(request, tray()?.file ?? null));
    await sealNetwork(session, [`${APP_SCHEME}:`, `${MEDIA_SCHEME}:`]);
  },
  // Our page stores nothing, and nothing it loads may be stored.
  empty: () => Promise.resolve(),
};

function serve(request: Request, file: MediaFile | null): Response {
  if (file === null || new URL(request.url).pathname !== `/${file.media.digest}`) {
    return new Response(null, { status: 404 });
  }
  if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 });
  const { path, sizeBytes } = file.media;
  const headers = { "content-type": file.mimeType, "x-content-type-options": "nosniff" };
  const range = request.headers.get("range");
  return fileResponse({ path, sizeBytes, headers }, { method: request.method, range });
}
