import { describe, expect, it } from "vitest";
import { type Creative, readCatalogue } from "../creatives/catalogue.ts";
import { BLACK, creativeIn, EMPTY, Eye, FOREIGN, HOUSE, WHITE } from "./eye.ts";
import { type Film, filmOf, PICTURE_BYTES, SLATE } from "./pictures.ts";

const catalogue = readCatalogue();
const picture = creative("news-headlines");
const clip = creative("ad-sneakers");
const [pictureFilm, clipFilm] = [filmOf(picture), filmOf(clip)];
const slate: Film = { name: SLATE, pictures: [Buffer.alloc(PICTURE_BYTES, 100)], moves: false, masked: new Set([7]) };
const eye = new Eye(catalogue, [pictureFilm, clipFilm, slate]);

function creative(name: string): Creative {
  return catalogue.creatives.find((one) => one.name === name) as Creative;
}

/** One frame of a picture or clip on a display of 960x540, painted over by a filter of ffmpeg. */
function frame(of: Creative, paint = "null", index = 0): Buffer {
  const only = `trim=start_frame=${index}:end_frame=${index + 1}`;
  return filmOf(of, `${only},${paint}`).pictures[0] as Buffer;
}

/** A rectangle of that display in one colour. */
const box = (x: number, y: number, width: number, height: number, colour: string) =>
  `drawbox=x=${x}:y=${y}:w=${width}:h=${height}:color=${colour}:t=fill`;

describe("an eye that compares whole frames", () => {
  it("knows a picture, and each picture of a clip by its place", () => {
    expect(eye.look(frame(picture))).toEqual({ sight: picture.name, picture: 0 });
    for (const index of [0, 60, 124, 3]) {
      expect(eye.look(frame(clip, undefined, index))).toEqual({ sight: clip.name, picture: index });
    }
  });

  it("knows it through what compression and scaling do to it", () => {
    const bent = "scale=640:360,format=yuv420p,noise=alls=8:allf=t,scale=960:540,format=rgb24";
    expect(eye.look(frame(picture, bent)).sight).toBe(picture.name);
    expect(eye.look(frame(clip, bent, 40)).sight).toBe(clip.name);
  });

  it.each([
    ["a white hole of a hundredth of the picture", box(480, 120, 96, 54, "white")],
    ["a black one", box(300, 200, 96, 54, "black")],
    ["a scrollbar's strip on the right", `${box(945, 0, 15, 540, "0xf1f1f1")},${box(948, 2, 9, 250, "0xc1c1c1")}`],
    ["a scrollbar's strip below", box(0, 525, 960, 15, "0xf1f1f1")],
    ["the lower half black", box(0, 270, 960, 150, "black")],
    ["all moved by half a cell", "crop=944:540:16:0,scale=960:540"],
  ])("finds %s foreign, though the code is there", (_what, paint) => {
    for (const of of [picture, clip]) {
      const look = eye.look(frame(of, paint));
      expect([of.name, look.sight]).toEqual([of.name, FOREIGN]);
    }
  });

  it("says what a foreign frame is most like, where it is not, and what is there", () => {
    const { because } = eye.look(frame(picture, box(480, 120, 30, 30, "white")));
    const cell = "column 16, row 4";
    expect(because).toMatch(
      new RegExp(`^news-headlines: picture 0, off by \\d+ at ${cell} \\(cells off: 1, among them ${cell} #f`),
    );
  });

  it("says in what colour an empty frame is", () => {
    const { sight, because } = eye.look(Buffer.alloc(PICTURE_BYTES, Buffer.from([0x17, 0x30, 0x49])));
    expect([sight, because]).toEqual([EMPTY, "all of it #173049"]);
  });

  it("finds a frame foreign that has one clip's code and the other part of another picture", () => {
    const torn = Buffer.from(frame(clip));
    frame(picture).copy(torn, 0, 0, PICTURE_BYTES / 3);
    expect(eye.look(torn).sight).toBe(FOREIGN);
  });

  it("lets a page be between two of its pictures, and a clip not", () => {
    const steps = [Buffer.from(frame(picture)), Buffer.from(frame(picture))] as const;
    steps[0].fill(60, 0, 300);
    steps[1].fill(180, 0, 300);
    const between = Buffer.from(frame(picture)).fill(120, 0, 300);
    const film = { ...pictureFilm, pictures: [...steps] };
    expect(new Eye(catalogue, [{ ...film, moves: true }]).look(between).sight).toBe(picture.name);
    expect(new Eye(catalogue, [film]).look(between).sight).toBe(FOREIGN);
  });

  it("knows the slate, whatever is in its masked cells and nowhere else", () => {
    const named = Buffer.alloc(PICTURE_BYTES, 100).fill(250, 7 * 3, 8 * 3);
    expect(eye.look(named).sight).toBe(HOUSE);
    expect(eye.look(named.fill(250, 8 * 3, 9 * 3)).sight).toBe(FOREIGN);
  });

  it("knows nothing at all: black, white, and a window that is still empty", () => {
    expect(eye.look(Buffer.alloc(PICTURE_BYTES, 3)).sight).toBe(BLACK);
    expect(eye.look(Buffer.alloc(PICTURE_BYTES, 252)).sight).toBe(WHITE);
    expect(eye.look(Buffer.alloc(PICTURE_BYTES, 45)).sight).toBe(EMPTY);
  });
});

describe("a creative's code alone", () => {
  it("names it whatever the rest of the frame shows, and nothing where there is none", () => {
    const spoilt = box(480, 120, 192, 108, "white");
    expect(creativeIn(frame(picture, spoilt), catalogue)).toBe(picture.name);
    expect(creativeIn(frame(clip, spoilt, 40), catalogue)).toBe(clip.name);
    expect(creativeIn(frame(picture, box(0, 405, 960, 135, "black")), catalogue)).toBeNull();
    expect(creativeIn(Buffer.alloc(PICTURE_BYTES, 100), catalogue)).toBeNull();
  });
});
