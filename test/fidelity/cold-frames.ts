import { isBlack } from "../support/display/eye.ts";
import { shareOff } from "./compare.ts";

/** What was seen of the first item after a start. */
export type ColdStart =
  | { readonly kind: "whole"; readonly frames: number }
  /** Once it was no longer black, so many frames were neither house content nor the whole item; `off`: the first one's share. */
  | { readonly kind: "half-drawn"; readonly frames: number; readonly off: number }
  | { readonly kind: "never-whole" };

/** What is known to be seen, as 64x36 cells. */
export interface Known {
  readonly house: Uint8Array;
  readonly item: Uint8Array;
}

const CELL_OFF = 40;
/** An item's picture may be off as much as anywhere; house content has words that come and go. */
const ITEM_ALLOWED = 0.01;
const HOUSE_ALLOWED = 0.05;

/** Judges the frames of a start, 64x36 cells each: once it is no longer black, there is house content and the whole item. */
export function judgeStart(frames: readonly Uint8Array[], { house, item }: Known): ColdStart {
  const offItem = (frame: Uint8Array) => shareOff(frame, item, CELL_OFF);
  const isHouse = (frame: Uint8Array) => shareOff(frame, house, CELL_OFF) <= HOUSE_ALLOWED;
  const isWhole = (frame: Uint8Array) => offItem(frame) <= ITEM_ALLOWED;
  const from = frames.findIndex((frame) => !isBlack(frame));
  const whole = frames.findIndex((frame, index) => index >= from && isWhole(frame));
  if (whole < 0) return { kind: "never-whole" };
  const half = frames.filter((frame, index) => index >= from && !isWhole(frame) && !isHouse(frame));
  const [first] = half;
  if (first !== undefined) return { kind: "half-drawn", frames: half.length, off: offItem(first) };
  return { kind: "whole", frames: frames.length - whole };
}
