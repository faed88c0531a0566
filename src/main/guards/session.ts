import type { App, Session } from "electron";

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
    session.on(chooser as "select-hid-device", (event) => event.preventDefault());
  }
}

/** A creative may not put files on the machine. */
export function denyDownloads(session: Session): void {
  session.on("will-download", (event) => event.preventDefault());
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
