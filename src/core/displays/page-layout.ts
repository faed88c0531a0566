/** Width and height, in CSS pixels or in a display's own. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Where something lies, and how large it is, in a display's pixels. */
export interface Area extends Size {
  readonly x: number;
  readonly y: number;
}

/** How an HTML item is laid out on a display (F20). */
export interface PageLayout {
  /** What the page takes for its window, in CSS pixels. */
  readonly page: Size;
  /** The part of the display that it is seen in; black is around. */
  readonly area: Area;
  /** Display pixels per CSS pixel. */
  readonly scale: number;
}

/** Smaller or larger than this no page is made: a mistake in the item, or a width in other units. */
const SMALLEST_SIDE_PX = 32;
const LARGEST_SIDE_PX = 16_384;
/** A strip along a wall of displays is 16 to 1; beyond this nothing of a page could be made out. */
const MOST_ELONGATED = 32;

/**
 * Lays a page out at its own size, as large as fits the display, centred, never cropped. Without a size, or with an absurd
 * one, the page has the display's (F20).
 */
export function layoutPage(widthPx: number | null, heightPx: number | null, display: Size): PageLayout {
  const page = sizeOf(widthPx, heightPx) ?? display;
  const fitting = Math.min(display.width / page.width, display.height / page.height);
  const width = Math.round(page.width * fitting);
  const height = Math.round(page.height * fitting);
  const x = Math.floor((display.width - width) / 2);
  const y = Math.floor((display.height - height) / 2);
  // Half a pixel more than fits at most, so that no seam of the sheet is left where whole pixels end.
  const scale = Math.max(width / page.width, height / page.height);
  return { page, area: { x, y, width, height }, scale };
}

function sizeOf(width: number | null, height: number | null): Size | null {
  if (width === null || height === null) return null;
  const [shorter, longer] = [Math.min(width, height), Math.max(width, height)];
  const isUsual = shorter >= SMALLEST_SIDE_PX && longer <= LARGEST_SIDE_PX && longer <= shorter * MOST_ELONGATED;
  return isUsual ? { width, height } : null;
}
