import type { WebContents } from "electron";

/**
 * What no page on screen may do, whoever made it. `stay` says which main-frame navigations are the page's own loading;
 * `onForbidden` hears what was tried and refused.
 */
export function confine(
  contents: WebContents,
  stay: (url: string) => boolean,
  onForbidden: (what: string) => void = () => {},
): void {
  refuseWindows(contents, onForbidden);
  refuseNavigation(contents, stay, onForbidden);
  refuseInput(contents);
  refuseWebviews(contents, onForbidden);
  // WebRTC finds its own way out, past proxies and handlers: forbid it every route that is not proxied.
  contents.setWebRTCIPHandlingPolicy("disable_non_proxied_udp");
}

/** Checklist 14: no second window, ever. */
function refuseWindows(contents: WebContents, onForbidden: (what: string) => void): void {
  contents.setWindowOpenHandler(() => {
    onForbidden("window");
    return { action: "deny" };
  });
}

/**
 * Checklist 13: the main frame shows what it was given; it neither leaves nor is redirected. Loading the same page again
 * is refused as well, but harms nobody: anchors within a page do not come here.
 */
function refuseNavigation(
  contents: WebContents,
  stay: (url: string) => boolean,
  onForbidden: (what: string) => void,
): void {
  contents.on("will-frame-navigate", (event) => {
    if (!event.isMainFrame) return;
    event.preventDefault();
    if (!stay(event.url)) onForbidden("navigation");
  });
  contents.on("will-redirect", (event) => {
    if (!event.isMainFrame || stay(event.url)) return;
    event.preventDefault();
    onForbidden("navigation");
  });
  contents.on("will-prevent-unload", (event) => event.preventDefault());
}

/** A kiosk's keyboard and mouse reach nothing: no devtools, reload, zoom, print, find, context menu or drop. */
function refuseInput(contents: WebContents): void {
  contents.on("before-input-event", (event) => event.preventDefault());
  contents.on("before-mouse-event", (event) => event.preventDefault());
  contents.on("context-menu", (event) => event.preventDefault());
  contents.on("zoom-changed", (event) => event.preventDefault());
  contents.setIgnoreMenuShortcuts(true);
  contents.once("did-finish-load", () => void contents.setVisualZoomLevelLimits(1, 1));
}

/** Checklist 12. */
function refuseWebviews(contents: WebContents, onForbidden: (what: string) => void): void {
  contents.on("will-attach-webview", (event) => {
    event.preventDefault();
    onForbidden("webview");
  });
}
