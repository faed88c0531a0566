import { describe, expect, it } from "vitest";
import { readCatalogue } from "../creatives/catalogue.ts";
import { BLACK, Eye, FOREIGN, WHITE } from "./eye.ts";
import { PICTURE_BYTES } from "./pictures.ts";
import { FRAME_MS } from "./recording.ts";
import { sightingsIn } from "./sightings.ts";

const eye = new Eye(readCatalogue(), []);
const [black, white, other] = [0, 255, 128].map((value) => Buffer.alloc(PICTURE_BYTES, value)) as [
  Buffer,
  Buffer,
  Buffer,
];

describe("what was in sight", () => {
  it("lasts from when its first frame came in sight to when the next one did, however many frames the recorder left out", () => {
    const frames = [black, white, white, other];
    const instants = [5_003, 5_020, 7_010, 7_110];
    const since = [5_000, 5_017, 7_010, 7_100];
    expect(
      sightingsIn({ frames, instants, since }, eye).map(({ sight, startAt, startS, lengthMs }) => [
        ...[sight, startAt],
        ...[Math.round(startS * 1000), Math.round(lengthMs)],
      ]),
    ).toEqual([
      [BLACK, 5_000, 0, 17],
      [WHITE, 5_017, 17, 2_083],
      [FOREIGN, 7_100, 2_100, Math.round(10 + FRAME_MS)],
    ]);
  });

  it("has its place among the frames, and joins equal neighbours only", () => {
    const frames = [black, black, white, black];
    const instants = [0, 10, 20, 30];
    const seen = sightingsIn({ frames, instants, since: instants }, eye);
    expect(seen.map(({ sight, firstFrame, frames: count }) => [sight, firstFrame, count])).toEqual([
      [BLACK, 0, 2],
      [WHITE, 2, 1],
      [BLACK, 3, 1],
    ]);
  });
});
