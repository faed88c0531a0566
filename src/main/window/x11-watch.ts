import { connectX11, type X11Connection } from "./x11-connection.ts";
import { lookAt, programOf } from "./x11-look.ts";
import {
  activateRequest,
  bareRequest,
  extensionRequest,
  type Frame,
  freezeRequests,
  hideRequests,
  mapRequest,
  opaqueRequest,
  ownerIn,
  ownerRequest,
  raiseRequest,
  showUnmanagedRequests,
  thawRequest,
  unmanageRequests,
  type WindowEvent,
  watchRequest,
  watchRootRequest,
  windowEventIn,
} from "./x11-protocol.ts";
import { type AskSaver, endSaverRequest, watchSaver } from "./x11-saver.ts";

/** A window that is watched from outside of Electron, and that no pointer is shown over. */
export interface WindowWatch {
  /** Has a window that was unmapped mapped again. */
  map(): void;
  /** Puts it in front of all others, as far as the window manager lets it. */
  raise(): void;
  /** Puts it there whether the window manager lets it or not, where there is one and it does not draw all windows itself. */
  unmanage(): void;
  /** Ends the X server's screen saver. */
  wake(): void;
  /** Looks whether it is covered or displaced; it is looked at by itself whenever a window changes. */
  look(): void;
  /** Keeps what is to be seen of it as it is, whatever happens to what draws it, until it is thawed. */
  freeze(): void;
  thaw(): void;
  readonly frozen: boolean;
  /** Resolves when it is not frozen. */
  readonly thawed: Promise<void>;
  close(): void;
}

/**
 * What is heard of a window: "covered" when another one lies above a part of it, "displaced" when it does not fill its area,
 * "away" when another console than the X server's is shown, and "back" when it is not; "saver" when the server's own screen
 * saver hides it, and "no saver" when that does not.
 */
export type WatchEvent =
  | WindowEvent
  | ("minimized" | "restored" | "covered" | "uncovered" | "displaced" | "in place")
  | ("away" | "back" | "saver" | "no saver");

/** A window manager has done by then what follows when one of its windows is unmapped. */
const WITHDRAWN_AFTER_MS = 300;

/**
 * Windows that are moved or animated tell of it at every step: so often they are looked at, at most. For as long what hides
 * the window may be there unnoticed, and by as much an item may be off.
 */
const LOOK_EVERY_MS = 50;

/**
 * Hides the pointer over a window, and hears from the X server itself when the window is unmapped, mapped, covered,
 * uncovered or moved by whomever: Electron says nothing of what was not its own doing. `by` is the program that covers it. `area` is what it is to fill of the
 * root window, null for nothing. `null` where this machine's display is not an X server's.
 */
export function watchWindow(
  window: number,
  env: Readonly<Record<string, string | undefined>>,
  onEvent: (event: WatchEvent, by?: string | null) => void,
  area: () => Frame | null = () => null,
): WindowWatch | null {
  let connection: X11Connection | null = null;
  let isSaverOn: AskSaver | null = null;
  let isUnmanaged = false;
  let frozen = false;
  let thawed = Promise.resolve();
  let onThawed = () => {};
  const send = (requests: Buffer) => connection?.send(requests);
  const look = atMostEvery(LOOK_EVERY_MS, async () => {
    const found = connection && (await lookAt(connection, window, area()));
    if (found === null) return;
    onEvent(found.isAway ? "away" : "back");
    onEvent((await isSaverOn?.()) ? "saver" : "no saver");
    // What a window manager once said of a window that it has no more stays on it.
    onEvent(found.isMinimized && !isUnmanaged ? "minimized" : "restored");
    onEvent(found.isDisplaced ? "displaced" : "in place");
    const { coveredBy } = found;
    if (coveredBy === null) onEvent("uncovered");
    else onEvent("covered", connection && (await programOf(connection, coveredBy)));
  });

  const begin = async (opened: X11Connection) => {
    connection = opened;
    opened.send(Buffer.concat([bareRequest(window), watchRequest(window), watchRootRequest(opened.root)]));
    look();
    const opacity = await opened.atom("_NET_WM_WINDOW_OPACITY");
    if (opacity !== null) opened.send(opaqueRequest(opacity, window));
    const extension = await opened.ask(extensionRequest("XFIXES"));
    if (extension !== null) opened.send(hideRequests(extension, window));
    isSaverOn = await watchSaver(opened);
    look();
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
    async unmanage() {
      const place = area();
      if (connection === null || place === null || isUnmanaged || (await isComposited(connection))) return;
      isUnmanaged = true;
      send(unmanageRequests(window));
      setTimeout(() => connection && send(showUnmanagedRequests(window, connection.root, place)), WITHDRAWN_AFTER_MS);
    },
    wake: () => send(endSaverRequest()),
    look,
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
      if (connection !== null) send(thawRequest(connection.ownNumber));
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
  const name = await connection.atom("_NET_ACTIVE_WINDOW");
  if (name !== null) connection.send(activateRequest(name, connection.root, window));
}

/** Whether a program draws all windows, and whether and where each is to be seen (`_NET_WM_CM_Sn` of the same hints). */
async function isComposited(connection: X11Connection): Promise<boolean> {
  const name = await connection.atom(`_NET_WM_CM_S${connection.screen}`);
  const owner = name === null ? null : await connection.ask(ownerRequest(name));
  return owner === null || ownerIn(owner) !== 0;
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
