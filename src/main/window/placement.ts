import type { Rectangle } from "electron";
import type { Area, Size } from "../../core/displays/page-layout.ts";

/** Which display, and how much of it (configuration, `display`). */
export interface WindowPlan {
  /** A display's name, or its place counted from the left, from 1; null: the primary one. */
  readonly match: string | null;
  readonly fullscreen: boolean;
  readonly width: number | null;
  readonly height: number | null;
}

/** What is known of a display. */
export interface SeenDisplay {
  readonly id: number;
  readonly label: string;
  readonly bounds: Rectangle;
}

/** The displays there are, and which of them is the primary one. */
export interface Displays<D extends SeenDisplay> {
  readonly all: readonly D[];
  readonly primaryId: number;
  /** Whether a window stays where it is when a display comes, whichever is the primary one then, as under Wayland. */
  readonly isLeftInPlace?: boolean;
  /** Other names of a display than its label: on X11 that is the maker's, or none, and not the one of its output. */
  namesOf(display: D): readonly string[];
}

/**
 * The display of each plan, or null where it is not there. A display is given once. One window alone makes do with the
 * primary display; of several each has its own or none. `before` are the ids of those that several had last: places are
 * counted anew when a display goes, and no screen is to jump onto its neighbour's for that.
 */
export function displaysFor<D extends SeenDisplay>(
  plans: readonly WindowPlan[],
  displays: Displays<D>,
  before: readonly (number | null)[] = [],
): readonly (D | null)[] {
  const { all, primaryId } = displays;
  const primary = all.find(({ id }) => id === primaryId) ?? null;
  const given = new Map<number, D>();
  const give = (index: number, ...fitting: readonly (D | null | undefined)[]) => {
    const display = fitting.find((one) => one && ![...given.values()].includes(one));
    if (!given.has(index) && display) given.set(index, display);
  };
  const alone = plans.length === 1;
  for (const index of alone && displays.isLeftInPlace !== true ? [] : plans.keys())
    give(
      index,
      all.find(({ id }) => id === before[index]),
    );
  for (const [index, { match }] of plans.entries())
    if (match !== null) give(index, ...inOrder(all).filter((display) => isMatch(display, match, displays)));
  for (const [index, { match }] of plans.entries()) if (match === null || alone) give(index, primary);
  return plans.map((_, index) => given.get(index) ?? null);
}

/**
 * Those that there are of what Chromium tells of. Where no display is on it makes one up, with the number 0, and before it knows
 * of any one with -1. But 0 is also the first of an X server whose own numbers are large: of that only the server knows.
 */
export function realDisplays<D extends Pick<SeenDisplay, "id">>(told: readonly D[], isZeroReal: boolean): readonly D[] {
  return told.filter(({ id }) => id !== -1 && (id !== 0 || isZeroReal));
}

/** Whether a display, told of anew or not, is what `match` says: by its label or another name, or by its place among all. */
export function isMatch<D extends SeenDisplay>(display: D, match: string, { all, namesOf }: Displays<D>): boolean {
  const names = [display.label, ...namesOf(display)];
  return names.includes(match) || inOrder(all)[Number(match) - 1]?.id === display.id;
}

/** From the left, and from above where two are as far left. */
function inOrder<D extends SeenDisplay>(all: readonly D[]): readonly D[] {
  return [...all].sort((one, other) => one.bounds.x - other.bounds.x || one.bounds.y - other.bounds.y);
}

/** By so many pixels a full-screen window is larger than its display. */
export const OVERHANG = 1;
const UNFILLED = { width: 1280, height: 720 };

/**
 * Where a window lies. A full-screen window is not in the desktop's full-screen mode but as large as the display, and a
 * pixel more: X11 windows of just that size are made a pixel smaller, and decks below the visible one have their
 * overhang. It hangs over where no other display is.
 */
export function boundsOn(plan: WindowPlan, { bounds }: SeenDisplay, all: readonly SeenDisplay[]): Rectangle {
  const { fullscreen, width, height } = plan;
  if (!fullscreen) return { ...bounds, width: width ?? UNFILLED.width, height: height ?? UNFILLED.height };
  const right = { ...bounds, x: bounds.x + bounds.width, width: OVERHANG };
  const below = { ...bounds, y: bounds.y + bounds.height, height: OVERHANG };
  const isFree = (strip: Rectangle) => !all.some((other) => overlap(strip, other.bounds));
  const wider = isFree(right) ? OVERHANG : 0;
  // In the midst of a wall one edge has to do; the display below is drawn over it.
  const higher = isFree(below) || wider === 0 ? OVERHANG : 0;
  return { ...bounds, width: bounds.width + wider, height: bounds.height + higher };
}

/** Of views that stick out of a display at once each has another place. */
export type OverhangPlace = 0 | 1 | 2;

/** The slate's: it lies above the decks that are cued. */
export const SLATE_PLACE: OverhangPlace = 2;

/**
 * Where a view of a size lies in a window so that it draws below others: sticking out by a pixel, where the window sticks
 * out of its display. Chromium draws nothing of a view that is covered whole; of one that is not it draws all. At its own
 * place each of several has a pixel that the others leave it, whichever of them is on top.
 */
export function overhangIn(window: Size, display: Size, { width, height }: Size, place: OverhangPlace): Area {
  // A window that fits its display, as one that is no full-screen window, has no edge to spare.
  const isWider = window.width > display.width || window.height <= display.height;
  const isHigher = window.height > display.height || window.width <= display.width;
  const [right, down] = OVERHANGS[isWider && isHigher ? "corner" : isWider ? "right" : "bottom"][place];
  const x = isWider && right === OVERHANG ? display.width - width + right : right;
  const y = isHigher && down === OVERHANG ? display.height - height + down : down;
  return { x, y, width, height };
}

type Offset = readonly [right: number, down: number];

/** By how much each place is off, by which edges the window has to spare. With one edge the third is a makeshift. */
const OVERHANGS: Readonly<Record<"corner" | "right" | "bottom", readonly [Offset, Offset, Offset]>> = {
  corner: [
    [OVERHANG, 0],
    [0, OVERHANG],
    [OVERHANG, OVERHANG],
  ],
  right: [
    [OVERHANG, -OVERHANG],
    [OVERHANG, OVERHANG],
    [OVERHANG, 0],
  ],
  bottom: [
    [-OVERHANG, OVERHANG],
    [OVERHANG, OVERHANG],
    [0, OVERHANG],
  ],
};

function overlap(one: Rectangle, other: Rectangle): boolean {
  const across = one.x < other.x + other.width && other.x < one.x + one.width;
  return across && one.y < other.y + other.height && other.y < one.y + one.height;
}

/** A window that is put somewhere passes through places that are not its own; it has arrived by then. */
export const SETTLES_WITHIN_MS = 1_000;
