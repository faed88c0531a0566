import { EventEmitter } from "node:events";
import type { Session } from "electron";
import { describe, expect, it } from "vitest";
import { denyDownloads, denyPermissions } from "../../src/main/guards.ts";

/** A session as Electron has it. */
class FakeSession extends EventEmitter {
  setPermissionRequestHandler(): void {}
  setPermissionCheckHandler(): void {}
  setDevicePermissionHandler(): void {}
  setDisplayMediaRequestHandler(): void {}
}

const REFUSED = ["select-hid-device", "select-serial-port", "select-usb-device", "will-download"];

describe("what sessions are denied", () => {
  it("is refused by one listener each, however often a page comes back to its session", () => {
    const session = new FakeSession();
    for (let page = 0; page < 20; page++) {
      denyPermissions(session as unknown as Session);
      denyDownloads(session as unknown as Session);
    }
    expect(REFUSED.map((event) => session.listenerCount(event))).toEqual([1, 1, 1, 1]);

    for (const event of REFUSED) {
      let isPrevented = false;
      session.emit(event, { preventDefault: () => (isPrevented = true) });
      expect(isPrevented).toBe(true);
    }
  });
});
