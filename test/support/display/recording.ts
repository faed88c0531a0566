import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { letGo, onALeash, preferOver } from "../machine/processes.ts";
import { watchDrawing } from "./drawing.ts";

/** Into how many cells a display is averaged. */
export interface Grid {
  readonly columns: number;
  readonly rows: number;
}

/** The grid in which creatives carry their codes (`assets/creatives/README.md`). */
export const GRID: Grid = { columns: 16, rows: 9 };
/** The grid in which whole pictures are compared (`Eye`): twice as fine. */
export const EYE_GRID: Grid = { columns: 32, rows: 18 };
export const FRAME_BYTES = GRID.columns * GRID.rows * 3;
export const FRAMES_PER_SECOND = 60;
export const FRAME_MS = 1000 / FRAMES_PER_SECOND;

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
  /** When each frame was grabbed, in milliseconds of the monotonic clock (`monotonicMs`). */
  readonly instants: readonly number[];
  /** When each frame that differs from the one before came in sight: it was drawn then, and grabbed up to a frame later. */
  readonly since: readonly number[];
}

/** Frames on their way. */
export interface DisplayStream {
  /** Ends it; resolves when the last frame was told. */
  stop(): Promise<void>;
}

/** Hears of each frame, when it was grabbed, and since when it was in sight, as in `Frames`. */
export type OnFrame = (frame: Buffer, at: number, since: number) => void;

/** Watches a display from outside, as a passer-by does, 60 times a second, and keeps what it sees. */
export async function recordDisplay(
  display: string,
  width: number,
  height: number,
  grid: Grid = EYE_GRID,
): Promise<Recording> {
  const frames: Buffer[] = [];
  const instants: number[] = [];
  const since: number[] = [];
  const keep: OnFrame = (frame, at, sinceAt) => {
    frames.push(frame);
    instants.push(at);
    since.push(sinceAt);
  };
  const stream = await streamDisplay(display, width, height, keep, grid);
  return {
    frames: () => ({ frames, instants, since }),
    async stop() {
      await stream.stop();
      return { frames, instants, since };
    },
  };
}

/**
 * Watches a display and tells each frame, 60 a second by the monotonic clock, three bytes for each cell of the grid.
 * Resolves when the first frame is there. Each frame is told as it was grabbed, with its own stamp: ffmpeg would
 * otherwise repeat and leave out frames by the wall clock, and a frame's place in the count is no instant where the
 * machine could not keep up.
 */
export async function streamDisplay(
  display: string,
  width: number,
  height: number,
  onFrame: OnFrame,
  grid: Grid = EYE_GRID,
): Promise<DisplayStream> {
  // x11grab stamps a frame with the wall clock in microseconds just before it grabs it; showinfo writes the stamps.
  const capture = ["-copyts", "-f", "x11grab", "-draw_mouse", "0", "-framerate", String(FRAMES_PER_SECOND)];
  const input = ["-video_size", `${width}x${height}`, "-i", display];
  const filter = ["-vf", `scale=${grid.columns}:${grid.rows}:flags=area,showinfo=checksum=0`];
  const output = ["-fps_mode", "passthrough", "-pix_fmt", "rgb24", "-flush_packets", "1", "-f", "rawvideo", "-"];
  const quiet = ["-loglevel", "info", "-hide_banner", "-nostats", "-nostdin"];
  const ffmpeg = spawn(...onALeash("ffmpeg", [...quiet, ...capture, ...input, ...filter, ...output]));
  preferOver(ffmpeg);
  letGo(ffmpeg);
  const drawing = watchDrawing(display, monotonicMs);
  const ended = new Promise<void>((resolve) => ffmpeg.once("close", () => resolve())).finally(drawing.close);
  let before = 0;
  await new Promise<void>((resolve, reject) => {
    const complaint = readStamped(ffmpeg, grid, (frame, at) => {
      onFrame(frame, at, drawing.since(before, at));
      before = at;
      resolve();
    });
    const tooLate = () =>
      reject(new Error(`no frame of ${display} within ${FIRST_FRAME_MS} ms: ${complaint.join("\n")}`));
    setTimeout(tooLate, FIRST_FRAME_MS);
    ffmpeg.once("error", reject);
    void ended.then(() => reject(new Error(`ffmpeg ended: ${complaint.join("\n")}`)));
  });
  return {
    async stop() {
      ffmpeg.kill("SIGINT");
      const timer = setTimeout(() => ffmpeg.kill("SIGKILL"), STOP_WITHIN_MS);
      await ended.finally(() => clearTimeout(timer));
    },
  };
}

const STAMP = /\bn: *\d+ pts: *(\d+)/;
/** Of what ffmpeg says besides stamps, the last lines are kept for an error. */
const COMPLAINT_LINES = 20;

/** Joins each frame from one pipe with its stamp from the other, whichever comes first; returns ffmpeg's last words. */
function readStamped(
  { stdout, stderr }: ChildProcess,
  grid: Grid,
  onFrame: (frame: Buffer, at: number) => void,
): readonly string[] {
  if (stdout === null || stderr === null) throw new Error("ffmpeg runs without pipes");
  const frameBytes = grid.columns * grid.rows * 3;
  const frames: Buffer[] = [];
  const stamps: number[] = [];
  const complaint: string[] = [];
  const join = () => {
    while (frames.length > 0 && stamps.length > 0) onFrame(frames.shift() as Buffer, stamps.shift() as number);
  };
  createInterface({ input: stderr }).on("line", (line) => {
    const micros = STAMP.exec(line)?.[1];
    if (micros === undefined) {
      complaint.push(line);
      if (complaint.length > COMPLAINT_LINES) complaint.shift();
      return;
    }
    stamps.push(Number(micros) / 1000 - wallOffsetMs());
    join();
  });
  let rest = Buffer.alloc(0);
  stdout.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (; rest.length >= frameBytes; rest = rest.subarray(frameBytes)) {
      frames.push(Buffer.from(rest.subarray(0, frameBytes)));
    }
    join();
  });
  return complaint;
}

/**
 * How far the wall clock is ahead of the monotonic one, to a millisecond. Asked at each stamp, soon after the grab: the
 * wall clock may be set or slewed during a recording, and the instants must not move with it.
 */
function wallOffsetMs(): number {
  return Date.now() - monotonicMs();
}

/** Milliseconds of the monotonic clock that all processes of this machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
