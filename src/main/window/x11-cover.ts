import type { X11Connection } from "./x11-connection.ts";
import {
  attributesRequest,
  type Frame,
  frameIn,
  frameRequest,
  isViewableIn,
  treeIn,
  treeRequest,
} from "./x11-protocol.ts";

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
export async function isCovered(connection: X11Connection, window: number): Promise<boolean | null> {
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
