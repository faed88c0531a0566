import type { PageAnswer, PageCache } from "../../player/media/page-cache.ts";
import { fileResponse } from "../file-response.ts";
import { denyDownloads } from "../guards/downloads.ts";
import { sealNetwork } from "../guards/network.ts";
import { denyPermissions } from "../guards/permissions.ts";
import type { Housekeeping } from "./session-pool.ts";

/** What a creative's document may be, whatever its server says: scripts of its own origin, and no powers. */
const HEADERS = {
  "content-security-policy": "sandbox allow-scripts allow-same-origin",
  "permissions-policy": [
    "accelerometer=(), bluetooth=(), camera=(), clipboard-read=(), clipboard-write=(), display-capture=()",
    "fullscreen=(), geolocation=(), gyroscope=(), hid=(), idle-detection=(), local-fonts=(), magnetometer=()",
    "microphone=(), midi=(), payment=(), picture-in-picture=(), screen-wake-lock=(), serial=(), usb=()",
    "web-share=(), window-management=(), xr-spatial-tracking=()",
  ].join(", "),
  "referrer-policy": "no-referrer",
  // The handler stands in for every origin; what a page could load from it, it could have brought along.
  "access-control-allow-origin": "*",
} as const;

/**
 * Sessions for creative pages. Every http and https request is answered by the guest's cache; the network itself is out
 * of reach, so that the cache's policy is the only one there is. What a page stored goes with it.
 */
export const creativeHousekeeping: Housekeeping<PageCache> = {
  async prepare(session, guest) {
    denyPermissions(session);
    denyDownloads(session);
    const answer = async (request: Request): Promise<Response> => {
      const cache = guest();
      if (cache === null) return new Response(null, { status: 404 });
      return respond(await cache.answer(request.method, request.url), request);
    };
    session.protocol.handle("http", answer);
    session.protocol.handle("https", answer);
    await sealNetwork(session, ["http:", "https:", "data:", "blob:"]);
  },
  empty: (session) => Promise.allSettled([session.clearStorageData(), session.clearCache(), session.clearAuthCache()]),
};

function respond(answer: PageAnswer, request: Request): Response {
  switch (answer.kind) {
    case "media": {
      const { path, sizeBytes, contentType } = answer.media;
      const headers = { ...HEADERS, "content-type": contentType || "application/octet-stream" };
      const range = request.headers.get("range");
      return fileResponse({ path, sizeBytes, headers }, { method: request.method, range });
    }
    case "swallowed":
      return new Response(null, { status: 204, headers: HEADERS });
    case "refused":
      return new Response(null, { status: 403, headers: HEADERS });
    case "missing":
      return new Response(null, { status: 404, headers: HEADERS });
  }
}
