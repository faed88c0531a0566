import type { App, Session, WebContents } from "electron";

/**
 * What becomes of a navigation of the main frame: it is the page's own loading; it is refused, and harms nobody; it is
 * refused, and told of.
 */
export type NavigationRule = "allow" | "refuse" | "forbid";

/** What no page on screen may do, of whatever origin. `onForbidden` hears what was tried and refused. */
export function confine(
  contents: WebContents,
  rule: (url: string) => NavigationRule,
  onForbidden: (what: string) => void = () => {},
): void {
  refuseWindows(contents, onForbidden);
  ruleNavigation(contents, rule, onForbidden);
  refuseShortcuts(contents);
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
 * Checklist 13: the main frame shows what it was given; it neither leaves nor is redirected. Anchors within a page do not
 * come here.
 */
function ruleNavigation(
  contents: WebContents,
  rule: (url: string) => NavigationRule,
  onForbidden: (what: string) => void,
): void {
  const judge = (event: { readonly isMainFrame: boolean; readonly url: string; preventDefault(): void }) => {
    const decision = event.isMainFrame ? rule(event.url) : "allow";
    if (decision === "allow") return;
    event.preventDefault();
    if (decision === "forbid") onForbidden("navigation");
  };
  contents.on("will-frame-navigate", judge);
  contents.on("will-redirect", judge);
  contents.on("will-prevent-unload", (event) => event.preventDefault());
}

/** The rule for a page that is loaded by us, at one address, and goes nowhere. */
export function stayingAt(url: string): (target: string) => NavigationRule {
  return (target) => (target === url ? "refuse" : "forbid");
}

/** A kiosk's keyboard and mouse reach nothing: no devtools, reload, zoom, print, find, context menu or drop. */
function refuseShortcuts(contents: WebContents): void {
  contents.on("before-input-event", (event) => event.preventDefault());
  contents.on("before-mouse-event", (event) => event.preventDefault());
  contents.on("context-menu", (event) => event.preventDefault());
  contents.on("zoom-changed", (event) => event.preventDefault());
  contents.setIgnoreMenuShortcuts(true);
  contents.once("did-finish-load", () => void contents.setVisualZoomLevelLimits(1, 1));
  contents.once("dom-ready", () => void refuseInput(contents).catch(() => {}));
}

/**
 * Lets no input through at all: of touch, pen and gestures Electron says nothing that could be prevented. A page hears and
 * sees nothing of it. There must be a page by now.
 */
async function refuseInput(contents: WebContents): Promise<void> {
  if (contents.isDestroyed() || contents.debugger.isAttached()) return;
  contents.debugger.attach();
  await contents.debugger.sendCommand("Input.setIgnoreInputEvents", { ignore: true });
}

/** Checklist 12. */
function refuseWebviews(contents: WebContents, onForbidden: (what: string) => void): void {
  contents.on("will-attach-webview", (event) => {
    event.preventDefault();
    onForbidden("webview");
  });
}

/**
 * Nothing a screen shows needs a camera, a place, a notification, a device or another permission, so a session grants
 * none: neither on request nor on check (Electron security checklist 5, 15).
 */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, answer) => answer(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
  session.setDisplayMediaRequestHandler((_request, answer) => answer({}));
  for (const chooser of ["select-hid-device", "select-serial-port", "select-usb-device"] as const) {
    const event = chooser as "select-hid-device";
    session.off(event, prevent);
    session.on(event, prevent);
  }
}

/** A creative may not put files on the machine. */
export function denyDownloads(session: Session): void {
  session.off("will-download", prevent);
  session.on("will-download", prevent);
}

/** One function, so that a session that is lent to one page after the other has one listener. */
function prevent(event: { preventDefault(): void }): void {
  event.preventDefault();
}

/** The proxy that every sealed session is given: the discard port, where nothing listens. */
const DEAD_PROXY = "http://127.0.0.1:9";

/**
 * Leaves a session no way to the network but the protocol handlers installed on it: every request that is not for an
 * allowed scheme is cancelled, and whatever slips past goes to a proxy that does not exist, loopback included.
 */
export async function sealNetwork(session: Session, allowedSchemes: readonly string[]): Promise<void> {
  await session.setProxy({ mode: "fixed_servers", proxyRules: DEAD_PROXY, proxyBypassRules: "<-loopback>" });
  session.webRequest.onBeforeRequest((details, answer) => {
    answer({ cancel: !allowedSchemes.includes(new URL(details.url).protocol) });
  });
}

/** A bad certificate stays bad; no client certificate or password is ever offered (checklist 10 in spirit). */
export function refuseBadCertificates(app: App): void {
  app.on("certificate-error", (event, _contents, _url, _error, _certificate, answer) => {
    event.preventDefault();
    answer(false);
  });
  app.on("select-client-certificate", (event) => event.preventDefault());
  app.on("login", (event) => event.preventDefault());
}
