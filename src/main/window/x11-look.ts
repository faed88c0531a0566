import type { X11Connection } from "./x11-connection.ts";
import {
  attributesRequest,
  type Frame,
  frameIn,
  frameRequest,
  isAwayIn,
  isMinimizedIn,
  isViewableIn,
  programIn,
  programRequest,
  propertyRequest,
  treeIn,
  treeRequest,
} from "./x11-protocol.ts";

/** A window manager puts a window into one or two of its own. */
const MOST_NESTED = 8;
/** On a desktop hundreds lie one above the other; whatever covers another is among the upper ones. */
const MOST_ABOVE = 256;
/** So many windows of a level are asked for the program that they are of. */
const MOST_ASKED = 16;
/** Of many programs there is a pixel on the display that nobody sees, and two windows of a wall overlap by as much. */
const LEAST_COVER_PX = 8;

/** What is found of a window in one look at all windows of its X server. */
export interface Found {
  readonly isAway: boolean;
  /** Some window managers leave a window mapped then, for a picture of it, and Electron says nothing of a full-screen one. */
  readonly isMinimized: boolean;
  /** The uppermost window that lies above a part of it. */
  readonly coveredBy: number | null;
  readonly isDisplaced: boolean;
}

/**
 * Whether a window is minimized, or on a console that is not shown; whether another one lies above a part of it, by the order of all windows, since with a
 * compositing window manager the server itself takes every window for uncovered; and whether it fills an area, where it is
 * to fill one. Null where there is no telling: the window or the server is gone.
 */
export async function lookAt(connection: X11Connection, window: number, area: Frame | null): Promise<Found | null> {
  const { root } = connection;
  const isMinimized = await isSaid(connection, window, "WM_STATE", isMinimizedIn);
  const isAway = await isSaid(connection, root, "XFree86_has_VT", isAwayIn);
  const nest = await nestOf(connection, window);
  const answer = nest && (await connection.ask(treeRequest(root)));
  if (!answer) return null;
  const { outer, frame: own } = nest;
  const { children } = treeIn(answer);
  // Windows of one player lie above each other only until they are shown, where no display is.
  const above = children
    .slice(children.indexOf(outer) + 1)
    .filter((one) => !connection.isSameClient(one, window))
    .slice(-MOST_ABOVE);
  const [screen, ...frames] = await Promise.all([
    frameOf(connection, root),
    ...above.map((one) => viewableFrameOf(connection, one)),
  ]);
  if (!screen) return null;
  const seen = overlapOf(screen, own);
  const coveredBy = above.findLast((_, index) => covers(frames[index] ?? null, seen)) ?? null;
  return { isAway, isMinimized, coveredBy, isDisplaced: area !== null && !fills(own, overlapOf(screen, area)) };
}

/**
 * The program that a window is of, as it calls itself, for the log; null where it has no name. A window manager's own window
 * has none as a rule, but the one that it holds.
 */
export async function programOf(connection: X11Connection, window: number): Promise<string | null> {
  let level: readonly number[] = [window];
  for (let depth = 0; depth < MOST_NESTED && level.length > 0; depth++) {
    const answers = await Promise.all(level.map((one) => connection.ask(programRequest(one))));
    const [name] = answers.map((answer) => answer && programIn(answer)).filter((one) => one);
    if (name) return name;
    const trees = await Promise.all(level.map((one) => connection.ask(treeRequest(one))));
    level = trees.flatMap((answer) => (answer === null ? [] : treeIn(answer).children)).slice(0, MOST_ASKED);
  }
  return null;
}

/** What a property of a window says; no where it has none of that name. */
async function isSaid(
  connection: X11Connection,
  window: number,
  property: string,
  read: (answer: Buffer) => boolean,
): Promise<boolean> {
  const name = await connection.atom(property);
  const said = name === null ? null : await connection.ask(propertyRequest(window, name));
  return said !== null && read(said);
}

/** Where a window is on the root, and the one that it is in and that is directly there: itself, without a window manager. */
async function nestOf(
  connection: X11Connection,
  window: number,
): Promise<{ readonly outer: number; readonly frame: Frame } | null> {
  let [outer, frame] = [window, await frameOf(connection, window)];
  for (let depth = 0; frame !== null && depth < MOST_NESTED; depth++) {
    const answer = await connection.ask(treeRequest(outer));
    if (answer === null) return null;
    const { parent } = treeIn(answer);
    if (parent === connection.root) return { outer, frame };
    const around = await frameOf(connection, parent);
    outer = parent;
    frame = around && { ...frame, x: frame.x + around.x, y: frame.y + around.y };
  }
  return null;
}

/** Whether what a frame leaves of an area is no more than what may cover it. */
function fills(frame: Frame, area: Frame): boolean {
  const { width, height } = overlapOf(frame, area);
  return area.width - width < LEAST_COVER_PX && area.height - height < LEAST_COVER_PX;
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

function covers(frame: Frame | null, seen: Frame): boolean {
  if (frame === null) return false;
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
