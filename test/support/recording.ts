import { spawn } from "node:child_process";
import { preferOver } from "./processes.ts";

/** A display scaled to 16x9 pixels by area averaging, RGB. */
export const GRID = { columns: 16, rows: 9 } as const;
export const FRAME_BYTES = GRID.columns * GRID.rows * 3;
export const FRAMES_PER_SECOND = 60;

const FIRST_FRAME_MS = 15_000;
const STOP_WITHIN_MS = 5_000;

/** A recording under way. */
export interface Recording {
  /** What was recorded so far; the latest second or so may be missing. */
  frames(): Frames;
  /** Ends it; resolves with all its frames. */
  stop(): Promise<Frames>;
}

/** What a display showed, frame by frame. */
export interface Frames {
  readonly frames: readonly Buffer[];
  /** From one frame to the next: 1/60 s, or what it really was where the machine could not keep up with that. */
  readonly frameMs: number;
}

/** Frames on their way. */
export interface DisplayStream {
  /** Ends it; resolves when the last frame was told, with the time from one to the next in milliseconds. */
  stop(): Promise<number>;
}

/** Watches a display from outside, as a passer-by does, 60 times a second, and keeps what it sees. */
export async function recordDisplay(display: string, width: number, height: number): Promise<Recording> {
  const frames: Buffer[] = [];
  const stream = await streamDisplay(display, width, height, (frame) => frames.push(frame));
  return {
    frames: () => ({ frames, frameMs: 1000 / FRAMES_PER_SECOND }),
    async stop() {
      const frameMs = await stream.stop();
      return { frames, frameMs };
    },
  };
}

/**
 * Watches a display and tells each frame, 60 a second by the monotonic clock. Resolves when the first is there. Each is
 * told as it was taken: ffmpeg would repeat and leave out some by the wall clock, which may be set meanwhile.
 */
export async function streamDisplay(
  display: string,
  width: number,
  height: number,
  onFrame: (frame: Buffer) => void,
): Promise<DisplayStream> {
  const capture = ["-f", "x11grab", "-draw_mouse", "0", "-framerate", String(FRAMES_PER_SECOND)];
  const input = ["-video_size", `${width}x${height}`, "-i", display];
  const scale = `scale=${GRID.columns}:${GRID.rows}:flags=area`;
  const filter = ["-vf", scale, "-fps_mode", "passthrough"];
  const output = ["-pix_fmt", "rgb24", "-flush_packets", "1", "-f", "rawvideo", "-"];
  const ffmpeg = spawn("ffmpeg", ["-loglevel", "error", "-nostdin", ...capture, ...input, ...filter, ...output]);
  preferOver(ffmpeg);
  let said = "";
  ffmpeg.stderr.on("data", (chunk) => {
    said += chunk;
  });
  let rest = Buffer.alloc(0);
  const pace = paceMeter();
  const ended = new Promise<void>((resolve) => ffmpeg.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    setTimeout(() => reject(new Error(`no frame of ${display} within ${FIRST_FRAME_MS} ms: ${said}`)), FIRST_FRAME_MS);
    ffmpeg.stdout.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (; rest.length >= FRAME_BYTES; rest = rest.subarray(FRAME_BYTES)) {
        pace.note();
        onFrame(Buffer.from(rest.subarray(0, FRAME_BYTES)));
      }
      resolve();
    });
    ffmpeg.once("error", reject);
    void ended.then(() => reject(new Error(`ffmpeg ended: ${said}`)));
  });
  return {
    async stop() {
      ffmpeg.kill("SIGINT");
      const timer = setTimeout(() => ffmpeg.kill("SIGKILL"), STOP_WITHIN_MS);
      await ended.finally(() => clearTimeout(timer));
      return pace.frameMs();
    },
  };
}

/** Over fewer frames than these the nominal pace is the better guess. */
const FEWEST_FRAMES = 10 * FRAMES_PER_SECOND;

/** Frames come with a jitter of some milliseconds, the first ones late: their pace is the slope of the line through all. */
function paceMeter(): { note(): void; frameMs(): number } {
  const sums = { count: 0, index: 0, at: 0, indexAt: 0, indexIndex: 0 };
  const begunAt = performance.now();
  return {
    note() {
      const at = performance.now() - begunAt;
      const index = sums.count++;
      sums.index += index;
      sums.at += at;
      sums.indexAt += index * at;
      sums.indexIndex += index * index;
    },
    frameMs() {
      const { count, index, at, indexAt, indexIndex } = sums;
      if (count < FEWEST_FRAMES) return 1000 / FRAMES_PER_SECOND;
      return (count * indexAt - index * at) / (count * indexIndex - index * index);
    },
  };
}
