import { spawn } from "node:child_process";

/** A still picture, three bytes for each pixel: red, green, blue. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Buffer;
}

/** A part of a display. */
export interface Region {
  /** As in the environment variable DISPLAY. */
  readonly display: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A grab takes a tenth of a second; a machine under load gets more. */
const GRAB_WITHIN_MS = 15_000;

/** What a part of a display shows now, as a passer-by sees it, pixel by pixel; the pointer is left out. */
export async function grab({ display, x, y, width, height }: Region): Promise<Picture> {
  const from = ["-f", "x11grab", "-draw_mouse", "0", "-video_size", `${width}x${height}`, "-i", `${display}+${x},${y}`];
  return { width, height, rgb: await ffmpeg([...from, "-frames:v", "1", ...RAW, "-"]) };
}

/** The picture as large as the frame allows, centred, black around: as the player shows what is not of its size (F20). */
export async function contained(picture: Picture, width: number, height: number): Promise<Picture> {
  if (picture.width === width && picture.height === height) return picture;
  const scale = `scale=${width}:${height}:force_original_aspect_ratio=decrease:flags=bicubic`;
  const pad = `pad=${width}:${height}:(ow-iw)/2:(oh-ih)/2`;
  const filter = ["-vf", `${scale},${pad}`, "-frames:v", "1"];
  return { width, height, rgb: await ffmpeg([...rawInput(picture), "-i", "-", ...filter, ...RAW, "-"], picture.rgb) };
}

/** Writes pictures of one height side by side as a PNG, for people. */
export async function writeBeside(path: string, left: Picture, right: Picture): Promise<void> {
  const [{ width, height }, gap] = [left, 8];
  const rgb = Buffer.alloc((width + gap + right.width) * height * 3, 0x80);
  for (let row = 0; row < height; row++) {
    const at = row * (width + gap + right.width) * 3;
    left.rgb.copy(rgb, at, row * width * 3, (row + 1) * width * 3);
    right.rgb.copy(rgb, at + (width + gap) * 3, row * right.width * 3, (row + 1) * right.width * 3);
  }
  const both = { width: width + gap + right.width, height, rgb };
  await ffmpeg(["-y", ...rawInput(both), "-i", "-", "-frames:v", "1", path], rgb);
}

const RAW = ["-pix_fmt", "rgb24", "-f", "rawvideo"];

function rawInput({ width, height }: Picture): string[] {
  return [...RAW, "-video_size", `${width}x${height}`];
}

async function ffmpeg(args: readonly string[], input?: Buffer): Promise<Buffer> {
  const child = spawn("ffmpeg", ["-loglevel", "error", "-nostdin", ...args], { timeout: GRAB_WITHIN_MS });
  const [out, said]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on("data", (chunk) => out.push(chunk));
  child.stderr.on("data", (chunk) => said.push(chunk));
  // A child that ends early says why on stderr; that it no longer reads is no news.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`ffmpeg ${args.join(" ")} ended with ${code}: ${Buffer.concat(said)}`);
  return Buffer.concat(out);
}
