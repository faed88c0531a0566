import { protocol } from "electron";

/** Our own pages, from the package: `spotloop://app/media/media.html`. */
export const APP_SCHEME = "spotloop";
/** Media by content address, from the cache: `spotloop-media://cache/<sha256>`. Only media decks and the slate have it. */
export const MEDIA_SCHEME = "spotloop-media";

/** Makes the schemes known to Chromium; must run before the app is ready. */
export function registerSchemes(): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true, stream: true };
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges },
    { scheme: MEDIA_SCHEME, privileges },
  ]);
}

/** The URL of one of our pages. */
export function appUrl(path: string): string {
  return `${APP_SCHEME}://app/${path}`;
}

/** The URL of the media with a SHA-256 digest, in 64 hexadecimal digits. */
export function mediaUrl(digest: string): string {
  return `${MEDIA_SCHEME}://cache/${digest}`;
}
