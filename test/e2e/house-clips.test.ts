import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HouseFolderOnDisk } from "../support/creatives/house.ts";
import { madeClip } from "../support/creatives/made-clip.ts";
import { type Frames, GRID, recordDisplay } from "../support/display/recording.ts";
import { eventually } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

/** Clips by their colours, in turn, as others make them: of how many pictures, and how long. */
const CLIPS = {
  red: "rate=25:duration=1",
  /** A slide every four seconds. */
  blue: "rate=1/4:duration=8",
  /** One picture, as long as a clip. */
  lime: "rate=1/3:duration=3",
  /** One picture, over as soon as it is seen. */
  fuchsia: "rate=25:duration=0.04",
} as const;
type Colour = keyof typeof CLIPS;
const COLOURS = ["red", "blue", "lime", "fuchsia"] as const satisfies readonly Colour[];
const SECONDS = 2;

let rig: Rig;
let turns: readonly Turn[];
let log: readonly string[];

/** A colour in sight, and for how long; null for what is none of them. */
interface Turn {
  readonly colour: Colour | null;
  readonly lengthMs: number;
}

beforeAll(async () => {
  rig = await openRig({ width: 640, height: 360 });
  const house = new HouseFolderOnDisk(rig.home);
  COLOURS.forEach((colour, index) => {
    house.write(`${index + 1}.webm`, madeClip(["-f", "lavfi", "-i", `color=${colour}:size=320x180:${CLIPS[colour]}`]));
  });
  house.write("5.jpg", "no picture");
  const recording = await recordDisplay(rig.display.name, rig.display.width, rig.display.height, GRID);
  const config = rig.configure({ baseUrl: "http://nowhere.invalid", house: { dir: "house", seconds: SECONDS } });
  log = rig.play(["--config", config]).stderr;
  const lapped = () => turnsIn(recording.frames()).filter(({ colour }) => colour === "red").length > 1;
  await eventually("a lap", () => lapped() || undefined, 90_000);
  turns = turnsIn(await recording.stop());
}, 120_000);

afterAll(() => rig?.close());

function turnsIn({ frames, instants }: Frames): readonly Turn[] {
  const colours = frames.map(colourOf);
  const starts = [...colours.keys()].filter((index) => index === 0 || colours[index] !== colours[index - 1]);
  return starts.map((start, turn) => {
    const end = starts[turn + 1] ?? frames.length - 1;
    return { colour: colours[start] ?? null, lengthMs: (instants[end] ?? 0) - (instants[start] ?? 0) };
  });
}

/** By which of its channels are full, in the middle of the frame. */
function colourOf(frame: Buffer): Colour | null {
  const at = (4 * GRID.columns + 8) * 3;
  const full = [...frame.subarray(at, at + 3)].map((channel) => (channel > 200 ? 1 : channel < 55 ? 0 : "?")).join("");
  return ({ "100": "red", "001": "blue", "010": "lime", "101": "fuchsia" } as const)[full] ?? null;
}

function lengthOf(colour: Colour): number {
  return turns.find((turn) => turn.colour === colour)?.lengthMs ?? 0;
}

describe("clips with few pictures, in the operator's folder", () => {
  it("are shown in their turns, with nothing in between", () => {
    const from = turns.findIndex(({ colour }) => colour === "red");
    const lap = turns.slice(from, from + COLOURS.length + 1).map(({ colour }) => colour);
    expect(lap).toEqual([...COLOURS, "red"]);
  });

  it("are seen from their first picture on, for their whole length", () => {
    expect(lengthOf("blue")).toBeGreaterThan(7_000);
    expect(lengthOf("lime")).toBeGreaterThan(2_000);
  });

  it("stay for some seconds where they are hardly longer than one frame", () => {
    expect(lengthOf("fuchsia")).toBeGreaterThan(2_000);
  });
});

describe("a picture that cannot be decoded", () => {
  it("is told of in the log in words", () => {
    expect(log.find((line) => line.includes("5.jpg"))).toContain("undecodable");
  });
});
