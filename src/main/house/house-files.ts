import type { Session } from "electron";
import type { HouseFolder } from "../../player/house/house-folder.ts";
import { fileResponse } from "../file-response.ts";
import { HOUSE_SCHEME } from "../schemes.ts";

/** The folder that a slate shows from; `null` until it is known, and where there is none. */
export interface HouseTray {
  folder: HouseFolder | null;
}

/** The operator's pages run their own scripts, with nothing but the files beside them: no network, no powers. */
const HEADERS = {
  "content-security-policy": [
    `default-src ${HOUSE_SCHEME}: data: blob: 'unsafe-inline' 'unsafe-eval'`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "sandbox allow-scripts",
  ].join("; "),
  "access-control-allow-origin": "*",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

/** Serves house content to a session: files of items by their ids, ranges of clips included, and nothing else. */
export function serveHouse(session: Session, tray: HouseTray): void {
  session.protocol.handle(HOUSE_SCHEME, async (request) => {
    const { method, url, headers } = request;
    if (method !== "GET" && method !== "HEAD") return new Response(null, { status: 405 });
    const { host, pathname } = new URL(url);
    const name = decoded(pathname.slice(1));
    const file = name === null ? null : await tray.folder?.file(host, name);
    if (!file) return new Response(null, { status: 404, headers: HEADERS });
    const { path, sizeBytes, contentType } = file;
    const sent = { path, sizeBytes, headers: { ...HEADERS, "content-type": contentType } };
    return fileResponse(sent, { method, range: headers.get("range") });
  });
}

function decoded(name: string): string | null {
  try {
    return decodeURIComponent(name);
  } catch {
    return null;
  }
}
