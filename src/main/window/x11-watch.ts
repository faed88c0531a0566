import { connectX11, type X11Connection } from "./x11-connection.ts";
import {
  activateRequest,
  atomIn,
  atomRequest,
  attributesRequest,
  bareRequest,
  extensionRequest,
  type Frame,
  frameIn,
  frameRequest,
  freezeRequests,
  hideRequests,
  isViewableIn,
  mapRequest,
  raiseRequest,
  thawRequest,
  treeIn,
  treeRequest,
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
    opened.send(Buffer.concat([bareRequest(window), watchRequest(window), watchWithinRequest(opened.root)]));
    look();
    const extension = await opened.ask(extensionRequest("XFIXES"));
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

/** A window manager puts a window into one or two of its own. */
const MOST_NESTED = 8;
/** On a desktop hundreds lie one above the other; whatever covers another is among the upper ones. */
const MOST_ABOVE = 256;
/** Of many programs there is a pixel on the display that nobody sees, and two windows of a wall overlap by as much. */
const LEAST_COVER_PX = 8;

/**
 * Whether another window lies above a part of this one, by the order of all windows: with a compositing window manager
 * the server itself takes every window for uncovered. Null where there is no telling: the window or the server is gone.
 */
async function isCovered(connection: X11Connection, window: number): Promise<boolean | null> {
  const { root } = connection;
  const outer = await outermost(connection, window);
  const answer = outer && (await connection.ask(treeRequest(root)));
  if (!answer) return null;
  const { children } = treeIn(answer);
  // Windows of one player lie above each other only until they are shown, where no display is.
  const above = children
    .slice(children.indexOf(outer) + 1)
    .filter((one) => !connection.isSameClient(one, window))
    .slice(-MOST_ABOVE);
  const [screen, own, ...frames] = await Promise.all([
    frameOf(connection, root),
    frameOf(connection, outer),
    ...above.map((one) => viewableFrameOf(connection, one)),
  ]);
  if (!screen || !own) return null;
  const seen = overlapOf(screen, own);
  return frames.some((frame) => frame !== null && covers(frame, seen));
}

/** The window that a window is in and that is directly on the root: itself, without a window manager. */
async function outermost(connection: X11Connection, window: number): Promise<number | null> {
  let inner = window;
  for (let depth = 0; depth < MOST_NESTED; depth++) {
    const answer = await connection.ask(treeRequest(inner));
    if (answer === null) return null;
    const { parent } = treeIn(answer);
    if (parent === connection.root) return inner;
    inner = parent;
  }
  return null;
}

async function frameOf(connection: X11Connection, window: number): Promise<Frame | null> {
  const answer = await connection.ask(frameRequest(window));
  return answer && frameIn(answer);
}

/** Null for windows that are not to be seen, or gone meanwhile. */
async function viewableFrameOf(connection: X11Connection, window: number): Promise<Frame | null> {
  const [frame, attributes] = await Promise.all([
    frameOf(connection, window),
    connection.ask(attributesRequest(window)),
  ]);
  return attributes !== null && isViewableIn(attributes) ? frame : null;
}

function covers(frame: Frame, seen: Frame): boolean {
  const { width, height } = overlapOf(frame, seen);
  return width >= LEAST_COVER_PX && height >= LEAST_COVER_PX;
}

/** What two have in common; without any its width or height is negative or 0. */
function overlapOf(one: Frame, other: Frame): Frame {
  const x = Math.max(one.x, other.x);
  const y = Math.max(one.y, other.y);
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  const height = Math.min(one.y + one.height, other.y + other.height) - y;
  return { x, y, width, height };
}
