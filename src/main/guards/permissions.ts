import type { Session } from "electron";

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
