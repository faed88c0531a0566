import { connectX11, type X11Connection } from "./x11-connection.ts";
import { isCovered } from "./x11-cover.ts";
import {
  activateRequest,
  atomIn,
  atomRequest,
  extensionRequest,
  freezeRequests,
  hideRequests,
  mapRequest,
  raiseRequest,
  thawRequests,
  type WindowEvent,
  watchRequest,
  watchWithinRequest,
  windowEventIn,
} from "./x11-protocol.ts";

/** A window that is watched from outside of Electron, and that no pointer is shown over. */
export interface WindowWatch {
  /** Has a window that was unmapped mapped again. */
  map(): void;
  /** Puts it in front of all others, as far as the window manager lets it. */
  raise(): void;
  /** Keeps what is to be seen of it as it is, whatever happens to what draws it, until it is thawed. */
  freeze(): void;
  thaw(): void;
  readonly frozen: boolean;
  /** Resolves when it is not frozen. */
  readonly thawed: Promise<void>;
  close(): void;
}

/** What is heard of a window: "covered" when another one lies above a part of it. */
export type WatchEvent = WindowEvent | "covered" | "uncovered";

/** Windows that are moved or animated tell of it at every step: so often they are looked at, at most. */
const LOOK_EVERY_MS = 200;

/**
 * Hides the pointer over a window, and hears from the X server itself when the window is unmapped, mapped, covered or
 * uncovered by whomever: Electron says nothing of what was not its own doing. `null` where this machine's display is not
 * an X server's.
 */
export function watchWindow(
  window: number,
  env: Readonly<Record<string, string | undefined>>,
  onEvent: (event: WatchEvent) => void,
): WindowWatch | null {
  let connection: X11Connection | null = null;
  let frozen = false;
  let thawed = Promise.resolve();
  let onThawed = () => {};
  const send = (requests: Buffer) => connection?.send(requests);
  const look = atMostEvery(LOOK_EVERY_MS, async () => {
    const covered = connection && (await isCovered(connection, window));
    if (covered !== null) onEvent(covered ? "covered" : "uncovered");
  });

  const begin = async (opened: X11Connection) => {
    connection = opened;
    opened.send(Buffer.concat([watchRequest(window), watchWithinRequest(opened.root)]));
    look();
    const extension = await opened.ask(extensionRequest());
    if (extension !== null) opened.send(hideRequests(extension, window));
  };

  const close = connectX11(
    env,
    (opened) => void begin(opened),
    (event) => {
      const said = windowEventIn(event, window);
      if (said !== null) onEvent(said);
      look();
    },
  );
  if (close === null) return null;
  return {
    map: () => send(mapRequest(window)),
    raise: () => void (connection && raise(connection, window)),
    freeze() {
      if (frozen) return;
      frozen = true;
      thawed = new Promise((resolve) => {
        onThawed = resolve;
      });
      if (connection !== null) send(freezeRequests(connection.ownNumber, window));
    },
    thaw() {
      if (!frozen) return;
      frozen = false;
      if (connection !== null) send(thawRequests(connection.ownNumber, window));
      onThawed();
    },
    get frozen() {
      return frozen;
    },
    get thawed() {
      return thawed;
    },
    close,
  };
}

/** Above the others, and the active one where there is a window manager. */
async function raise(connection: X11Connection, window: number): Promise<void> {
  connection.send(raiseRequest(window));
  const name = await connection.ask(atomRequest("_NET_ACTIVE_WINDOW"));
  if (name !== null) connection.send(activateRequest(atomIn(name), connection.root, window));
}

/** Acts at once, then again so much later if it was asked to meanwhile; never twice at the same time. */
function atMostEvery(everyMs: number, act: () => Promise<void>): () => void {
  let isBusy = false;
  let isAsked = false;
  const run = async () => {
    isBusy = true;
    isAsked = false;
    await act();
    setTimeout(() => {
      isBusy = false;
      if (isAsked) void run();
    }, everyMs).unref();
  };
  return () => {
    isAsked = true;
    if (!isBusy) void run();
  };
}
