import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { FRAME_BYTES, FRAMES_PER_SECOND, GRID } from "./recording.ts";

/** A look-out on a display. */
export interface LookOut {
  /** Resolves with the instant of the first frame that was wanted, Unix epoch milliseconds. */
  readonly seenAt: Promise<number>;
  /** Ends it, whether something was seen or not. */
  stop(): Promise<void>;
}

/**
 * Watches a display until a frame shows what is wanted. Unlike a recording it knows when each frame was taken, by the
 * clock of this machine. Resolves when it watches.
 */
export async function lookOut(
  { name, width, height }: { readonly name: string; readonly width: number; readonly height: number },
  isWanted: (frame: Buffer) => boolean,
): Promise<LookOut> {
  const capture = ["-f", "x11grab", "-draw_mouse", "0", "-framerate", String(FRAMES_PER_SECOND)];
  const input = ["-copyts", ...capture, "-video_size", `${width}x${height}`, "-i", name];
  // x11grab's timestamps are the instants themselves, in microseconds; showinfo tells them on stderr.
  const filter = `scale=${GRID.columns}:${GRID.rows}:flags=area,showinfo=checksum=0`;
  const output = [
    "-vf",
    filter,
    "-fps_mode",
    "passthrough",
    "-pix_fmt",
    "rgb24",
    "-flush_packets",
    "1",
    "-f",
    "rawvideo",
  ];
  const ffmpeg = spawn("ffmpeg", ["-loglevel", "info", "-nostats", "-nostdin", ...input, ...output, "-"]);
  const ended = new Promise<void>((resolve) => ffmpeg.once("close", () => resolve()));

  const instants: number[] = [];
  createInterface({ input: ffmpeg.stderr }).on("line", (line) => {
    const micros = /\bn: *\d+ pts: *(\d+)/.exec(line)?.[1];
    if (micros !== undefined) instants.push(Number(micros) / 1000);
  });

  let watching = () => {};
  const begun = new Promise<void>((resolve) => {
    watching = resolve;
  });
  const seen = new Promise<number>((resolve) => {
    let frames = 0;
    let rest: Buffer = Buffer.alloc(0);
    ffmpeg.stdout.on("data", (chunk: Buffer) => {
      watching();
      rest = Buffer.concat([rest, chunk]);
      for (; rest.length >= FRAME_BYTES; rest = rest.subarray(FRAME_BYTES), frames++) {
        if (isWanted(rest.subarray(0, FRAME_BYTES))) resolve(frames);
      }
    });
  });
  const stop = () => {
    ffmpeg.kill("SIGINT");
    return ended;
  };
  // What was said of a frame may arrive after the frame: all has when ffmpeg is gone.
  const seenAt = seen.then(async (frame) => {
    await stop();
    return instants[frame] ?? Number.NaN;
  });
  await Promise.race([begun, ended.then(() => Promise.reject(new Error("ffmpeg cannot watch the display")))]);
  return { seenAt, stop };
}
