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
  frames(): readonly Buffer[];
  /** Ends it; resolves with all its frames, 1/60 s apart. */
  stop(): Promise<readonly Buffer[]>;
}

/** Watches a display from outside, as a passer-by does, 60 times a second. Resolves when the first frame is there. */
export async function recordDisplay(display: string, width: number, height: number): Promise<Recording> {
  const capture = ["-f", "x11grab", "-draw_mouse", "0", "-framerate", String(FRAMES_PER_SECOND)];
  const input = ["-video_size", `${width}x${height}`, "-i", display];
  const scale = `scale=${GRID.columns}:${GRID.rows}:flags=area`;
  const output = ["-vf", scale, "-fps_mode", "cfr", "-pix_fmt", "rgb24", "-flush_packets", "1", "-f", "rawvideo", "-"];
  const ffmpeg = spawn("ffmpeg", ["-loglevel", "error", "-nostdin", ...capture, ...input, ...output]);
  preferOver(ffmpeg);
  const chunks: Buffer[] = [];
  let said = "";
  ffmpeg.stderr.on("data", (chunk) => {
    said += chunk;
  });
  const ended = new Promise<void>((resolve) => ffmpeg.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    setTimeout(() => reject(new Error(`no frame of ${display} within ${FIRST_FRAME_MS} ms: ${said}`)), FIRST_FRAME_MS);
    ffmpeg.stdout.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      resolve();
    });
    ffmpeg.once("error", reject);
    void ended.then(() => reject(new Error(`ffmpeg ended: ${said}`)));
  });
  return {
    frames: () => framesOf(Buffer.concat(chunks)),
    async stop() {
      ffmpeg.kill("SIGINT");
      const timer = setTimeout(() => ffmpeg.kill("SIGKILL"), STOP_WITHIN_MS);
      await ended.finally(() => clearTimeout(timer));
      return framesOf(Buffer.concat(chunks));
    },
  };
}

function framesOf(bytes: Buffer): readonly Buffer[] {
  const count = Math.floor(bytes.length / FRAME_BYTES);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * FRAME_BYTES, (index + 1) * FRAME_BYTES));
}
