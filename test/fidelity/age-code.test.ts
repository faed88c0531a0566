import { describe, expect, it } from "vitest";
import { FRAME_BYTES, FRAME_MS, type Frames, GRID } from "../support/display/recording.ts";
import { ageIn, ageSightings } from "./age-code.ts";

/** A frame as a display shows the page at an age. */
function frameAt(ageMs: number): Buffer {
  const frame = Buffer.alloc(FRAME_BYTES);
  for (let row = 0; row < GRID.rows; row++) {
    for (let column = 0; column < GRID.columns; column++) {
      const isSet = ((ageMs >> (15 - column)) & 1) === 1;
      const white = row < 5 ? isSet : !isSet;
      const colour = row < 2 ? [255, 0, 255] : row === 8 ? [0, 255, 0] : white ? [255, 255, 255] : [0, 0, 0];
      frame.set(colour, (row * GRID.columns + column) * 3);
    }
  }
  return frame;
}

const other = Buffer.alloc(FRAME_BYTES, 90);

/** How many frames of a page are taken from an age on. */
function showing(fromMs: number, count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, index) => frameAt(Math.round(fromMs + index * FRAME_MS)));
}

/** Grabbed one every sixtieth of a second, from the instant 0 on. */
function recorded(frames: readonly Buffer[]): Pick<Frames, "frames" | "instants"> {
  return { frames, instants: frames.map((_, index) => index * FRAME_MS) };
}

describe("the age that a page writes of itself", () => {
  it.each([0, 1, 387, 4095, 65535])("is read off a frame: %i ms", (ageMs) => {
    expect(ageIn(frameAt(ageMs))).toBe(ageMs);
  });

  it("is not read off a frame that shows something else", () => {
    expect(ageIn(other)).toBeNull();
  });

  it("is not read off a frame of which the lower half is older", () => {
    const torn = Buffer.from(frameAt(500));
    frameAt(900).copy(torn, FRAME_BYTES / 2, FRAME_BYTES / 2);
    expect(ageIn(torn)).toBeNull();
  });

  it("is that of the first frame of each showing", () => {
    const frames = [other, ...showing(410, 30), ...Array(20).fill(other), ...showing(1_200, 30)];
    expect(ageSightings(recorded(frames))).toEqual([
      { firstFrame: 1, frames: 30, startAt: FRAME_MS, ageMs: 410 },
      { firstFrame: 51, frames: 30, startAt: 51 * FRAME_MS, ageMs: 1_200 },
    ]);
  });

  it("is what it really was where the first frames show a page as it was drawn before", () => {
    const stale = frameAt(200);
    const [sighting] = ageSightings(recorded([stale, stale, ...showing(950, 30)]));
    expect(sighting?.ageMs).toBe(Math.round(950 - 2 * FRAME_MS));
  });

  it("goes on after a frame that cannot be read", () => {
    const frames = [...showing(400, 20), other, ...showing(400 + 21 * FRAME_MS, 9)];
    expect(ageSightings(recorded(frames))).toEqual([{ firstFrame: 0, frames: 30, startAt: 0, ageMs: 400 }]);
  });

  it("is reckoned by the stamps of frames, not by their count, where the recorder left some out", () => {
    const { frames, instants } = recorded([frameAt(200), ...showing(950, 30)]);
    const late = instants.map((at, index) => (index === 0 ? at : at + 500));
    expect(ageSightings({ frames, instants: late })[0]?.ageMs).toBeCloseTo(950 - 500 - FRAME_MS, -1);
  });

  it("begins anew where a page follows itself", () => {
    expect(ageSightings(recorded([...showing(400, 20), ...showing(300, 20)]))).toHaveLength(2);
  });
});
