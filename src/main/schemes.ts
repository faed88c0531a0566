import { protocol } from "electron";

/** Our own pages, from the package: `spotloop://app/media/media.html`. */
export const APP_SCHEME = "spotloop";
/** Media by content address, from the cache: `spotloop-media://cache/<sha256>`. Only media decks and the slate have it. */
export const MEDIA_SCHEME = "spotloop-media";

/** House content from the operator's folder, by item: `spotloop-house://<id>/index.html`. Only the slate has it. */
export const HOUSE_SCHEME = "spotloop-house";

/** Makes the schemes known to Chromium; must run before the app is ready. */
export function registerSchemes(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges },
    { scheme: MEDIA_SCHEME, privileges },
    // The operator's pages have an origin that is nobody's, so that what they load is always from another one.
    { scheme: HOUSE_SCHEME, privileges: { ...privileges, corsEnabled: true } },
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
