import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Display } from "../../../scripts/setup/display.ts";
import type { Creative } from "../creatives/catalogue.ts";
import { FRAMES_PER_SECOND, GRID } from "./recording.ts";

/** A look-out for one creative on a display. */
export interface LookOut {
  /** Resolves with the instant of the first frame that showed it, Unix epoch milliseconds. */
  readonly seenAt: Promise<number>;
  /** Ends it, whether something was seen or not. */
  stop(): Promise<void>;
}

/** A creative's code, of which only the upper row is looked at: four cells of three bytes. */
const CELLS = 4;
const BYTES = CELLS * 3;
/** How far a byte may be from the code's colour, as when frames of whole displays are read. */
const TOLERANCE = 48;

/**
 * Watches the place of a creative's code until it is there. Unlike a recording it knows when each frame was taken, by
 * this machine's clock, and takes little of the machine's time. Resolves when it watches.
 */
export async function lookOut(
  display: Display,
  { code, strip }: Creative,
  palette: Record<string, string>,
): Promise<LookOut> {
  const [column, row] = [display.width / GRID.columns, display.height / GRID.rows];
  const size = `${column * CELLS}x${row}`;
  const place = `${display.name}+${column * strip.column},${row * strip.row}`;
  const capture = ["-copyts", "-f", "x11grab", "-draw_mouse", "0", "-framerate", String(FRAMES_PER_SECOND)];
  // x11grab's timestamps are the instants themselves, in microseconds; showinfo tells them on stderr.
  const filter = `scale=${CELLS}:1:flags=area,showinfo=checksum=0`;
  const output = ["-fps_mode", "passthrough", "-pix_fmt", "rgb24", "-flush_packets", "1", "-f", "rawvideo", "-"];
  const args = [...capture, "-video_size", size, "-i", place, "-vf", filter, ...output];
  const ffmpeg = spawn("ffmpeg", ["-loglevel", "info", "-nostats", "-nostdin", ...args]);
  const ended = new Promise<void>((resolve) => ffmpeg.once("close", () => resolve()));
  const stop = () => {
    ffmpeg.kill("SIGINT");
    return ended;
  };

  const instants: number[] = [];
  createInterface({ input: ffmpeg.stderr }).on("line", (line) => {
    const micros = /\bn: *\d+ pts: *(\d+)/.exec(line)?.[1];
    if (micros !== undefined) instants.push(Number(micros) / 1000);
  });
  const colours = Buffer.from(code.map((name) => (palette[name] ?? "").slice(1)).join(""), "hex");
  const frames = framesOf(ffmpeg.stdout);
  const first = await Promise.race([frames.next(), ended.then(() => null)]);
  if (first === null) throw new Error("ffmpeg cannot watch the display");
  return { seenAt: seen(), stop };

  async function seen(): Promise<number> {
    let index = 1;
    for await (const frame of frames) {
      if (isLike(frame, colours)) break;
      index++;
    }
    // What is said of a frame may come after the frame, but all of it before the end.
    await stop();
    return instants[index] ?? Number.NaN;
  }
}

async function* framesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of stream) {
    rest = Buffer.concat([rest, chunk]);
    for (; rest.length >= BYTES; rest = rest.subarray(BYTES)) yield rest.subarray(0, BYTES);
  }
}

function isLike(frame: Buffer, colours: Buffer): boolean {
  return frame.every((value, index) => Math.abs(value - (colours[index] ?? 0)) <= TOLERANCE);
}
