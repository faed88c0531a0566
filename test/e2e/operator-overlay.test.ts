import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, type Running } from "../support/machine/processes.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

const HOTKEY = "ctrl+alt+shift+d";
/** As small as displays are. */
const SIZE = { width: 800, height: 480 } as const;
/** Within these of the upper edge there is text, and of the lower edge there is none: it ends before. */
const EDGE_PX = 60;

let rig: Rig;
let player: Running;

beforeAll(async () => {
  rig = await openRig(SIZE);
  player = rig.play(["--config", rig.configure({ operator: { chord: "Control+Alt+Shift+D" } })]);
  await shown();
}, 120_000);

afterAll(() => rig?.close());

/** Waits for an item on air beyond those so far. */
function shown(): Promise<true> {
  const before = player.stderr.length;
  const isShown = () => player.stderr.slice(before).some((line) => line.includes(" item shown ")) || undefined;
  return eventually("an item", isShown, 60_000);
}

function told(): readonly string[] {
  return player.stderr.flatMap((line) => /operator overlay (opened|closed)/.exec(line)?.[1] ?? []);
}

/** For so many seconds. */
function hold(seconds: number): void {
  const env = { ...process.env, DISPLAY: rig.display.name };
  execFileSync("xdotool", ["keydown", HOTKEY, "sleep", String(seconds), "keyup", HOTKEY], { env });
}

/** The display, a byte of grey for each pixel. */
function picture(): Buffer {
  const { width, height } = SIZE;
  const grab = ["-loglevel", "error", "-f", "x11grab", "-draw_mouse", "0", "-video_size", `${width}x${height}`];
  const raw = ["-frames:v", "1", "-pix_fmt", "gray", "-f", "rawvideo", "-"];
  return execFileSync("ffmpeg", [...grab, "-i", rig.display.name, ...raw]);
}

/** Whether there is more than one colour between two lines of a picture. */
function isWritten(seen: Buffer, from: number, to: number): boolean {
  const part = seen.subarray(from * SIZE.width, to * SIZE.width);
  return part.some((grey) => grey !== part[0]);
}

it("what the operator's hotkey opens is there to the last line on a small display, and says later what is so then", async () => {
  hold(1.5);
  const isPage = (seen: Buffer) =>
    isWritten(seen, 0, EDGE_PX) && !isWritten(seen, SIZE.height - EDGE_PX, SIZE.height) ? seen : undefined;
  const first = await eventually("all of the page", async () => isPage(picture()));
  const isOther = async () => isPage(picture())?.equals(first) === false || undefined;
  await eventually("what it says later", isOther);
});

it("it was one press however long it was held, though the X server tells of it again and again; another one closes it", async () => {
  expect(told()).toEqual(["opened"]);
  hold(0.1);
  await shown();
  expect(told()).toEqual(["opened", "closed"]);
});
