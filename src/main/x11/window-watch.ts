import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { type Authority, authorityIn, NO_AUTHORITY } from "./authority.ts";
import {
  extensionRequest,
  freezeRequests,
  hideRequests,
  MESSAGE_BYTES,
  mapRequest,
  ownNumber,
  setupLength,
  setupRequest,
  thawRequests,
  type WindowEvent,
  watchRequest,
  windowEventIn,
} from "./messages.ts";

/** A window that is watched from outside of Electron, and that no pointer is shown over. */
export interface WindowWatch {
  /** Has a window that was unmapped mapped again. */
  map(): void;
  /** Keeps what is to be seen of it as it is, whatever happens to what draws it, until it is thawed. */
  freeze(): void;
  thaw(): void;
  readonly frozen: boolean;
  /** Resolves when it is not frozen. */
  readonly thawed: Promise<void>;
  close(): void;
}

/** Nothing that was asked for is longer; a server that sends more than this without sense is let go. */
const MOST_BYTES = 1024 * 1024;

/**
 * Hides the pointer over a window, and hears from the X server itself when the window is unmapped, mapped, covered or
 * uncovered by whomever: Electron says nothing of what was not its own doing. `null` where this machine's display is not
 * an X server's.
 */
export function watchWindow(
  window: number,
  env: Readonly<Record<string, string | undefined>>,
  onEvent: (event: WindowEvent) => void,
): WindowWatch | null {
  const display = /^(?:unix)?:(\d{1,5})(?:\.\d+)?$/.exec(env.DISPLAY ?? "")?.[1];
  if (display === undefined) return null;
  const socket = connect(`/tmp/.X11-unix/X${display}`);
  let received = Buffer.alloc(0);
  let open = false;
  let still = 0;
  let frozen = false;
  let thawed = Promise.resolve();
  let onThawed = () => {};

  const take = (sizeBytes: number): Buffer => {
    const taken = received.subarray(0, sizeBytes);
    received = received.subarray(sizeBytes);
    return taken;
  };

  // The first answer is about the extension; a later one is about its version.
  let asked = false;
  const hide = (message: Buffer) => {
    const requests = hideRequests(message, window);
    asked = requests.length > 0;
    socket.write(requests);
  };

  const read = () => {
    if (!open) {
      const sizeBytes = setupLength(received);
      // What is seen is then left to Electron to tell.
      if (sizeBytes === "refused") socket.destroy();
      if (typeof sizeBytes === "string" || received.length < sizeBytes) return;
      still = ownNumber(take(sizeBytes));
      open = true;
      socket.write(Buffer.concat([watchRequest(window), extensionRequest()]));
    }
    while (received.length >= MESSAGE_BYTES) {
      const message = take(MESSAGE_BYTES);
      const event = windowEventIn(message, window);
      if (event !== null) onEvent(event);
      if (!asked) hide(message);
    }
  };

  socket.on("connect", () => socket.write(setupRequest(authorityFor(Number(display), env))));
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
    if (received.length > MOST_BYTES) socket.destroy();
    else read();
  });
  // A server that is gone takes the player with it; one that cannot be reached is as good as none.
  socket.on("error", () => socket.destroy());
  socket.unref();
  const send = (requests: Buffer) => {
    if (open && !socket.destroyed) socket.write(requests);
  };
  return {
    map: () => send(mapRequest(window)),
    freeze() {
      if (frozen) return;
      frozen = true;
      thawed = new Promise((resolve) => {
        onThawed = resolve;
      });
      send(freezeRequests(still, window));
    },
    thaw() {
      if (!frozen) return;
      frozen = false;
      send(thawRequests(still, window));
      onThawed();
    },
    get frozen() {
      return frozen;
    },
    get thawed() {
      return thawed;
    },
    close: () => socket.destroy(),
  };
}

function authorityFor(display: number, env: Readonly<Record<string, string | undefined>>): Authority {
  try {
    return authorityIn(readFileSync(env.XAUTHORITY ?? join(homedir(), ".Xauthority")), display);
  } catch {
    return NO_AUTHORITY;
  }
}
