import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { Display } from "../../scripts/setup/display.ts";
import { preferOver } from "../support/machine/processes.ts";
import type { Picture } from "./picture.ts";

/** The last seconds of a display, whole pictures, each with the instant at which it was taken. */
export interface DisplayFrames {
  /**
   * The picture nearest to an instant (Unix epoch milliseconds) of those taken between two, as soon as all of them are here;
   * null where there is none.
   */
  nearest(at: number, from: number, until: number): Promise<Picture | null>;
  stop(): Promise<void>;
}

const FRAMES_PER_SECOND = 5;
/** Whoever asks for a picture does so within some seconds; each is 2.8 MB at 1280x720. */
const KEPT = 12 * FRAMES_PER_SECOND;
/** Pictures that come later than this will not come at all. */
const LATE_MS = 8_000;
const LOOK_MS = 100;

/** Watches a display. Pictures wait until they are read, so that a busy machine makes them late, but never wrong. */
export async function watchFrames({ name, width, height }: Display): Promise<DisplayFrames> {
  const capture = ["-copyts", "-f", "x11grab", "-draw_mouse", "0", "-framerate", String(FRAMES_PER_SECOND)];
  // x11grab's timestamps are the instants themselves, in microseconds; showinfo tells them on stderr.
  const filter = ["-vf", "showinfo=checksum=0", "-fps_mode", "passthrough"];
  const output = ["-pix_fmt", "rgb24", "-flush_packets", "1", "-f", "rawvideo", "-"];
  const input = ["-video_size", `${width}x${height}`, "-i", name];
  const ffmpeg = spawn("ffmpeg", [
    "-loglevel",
    "info",
    "-nostats",
    "-nostdin",
    ...capture,
    ...input,
    ...filter,
    ...output,
  ]);
  preferOver(ffmpeg);
  const ended = new Promise<void>((resolve) => ffmpeg.once("close", () => resolve()));
  /** By the number of the frame. */
  const instants = new Map<number, number>();
  const pictures = new Map<number, Buffer>();
  createInterface({ input: ffmpeg.stderr }).on("line", (line) => {
    const [, index, micros] = /\bn: *(\d+) pts: *(\d+)/.exec(line) ?? [];
    if (index === undefined) return;
    instants.set(Number(index), Number(micros) / 1000);
    instants.delete(Number(index) - 2 * KEPT);
  });
  const bytes = width * height * 3;
  let partial = Buffer.alloc(bytes);
  let filled = 0;
  let count = 0;
  const first = new Promise<void>((resolve, reject) => {
    void ended.then(() => reject(new Error(`ffmpeg cannot watch ${name}`)));
    ffmpeg.stdout.on("data", (chunk: Buffer) => {
      for (let at = 0; at < chunk.length; ) {
        const taken = chunk.copy(partial, filled, at, at + bytes - filled);
        at += taken;
        filled += taken;
        if (filled < bytes) continue;
        pictures.set(count, partial);
        pictures.delete(count - KEPT);
        count++;
        [partial, filled] = [Buffer.alloc(bytes), 0];
        resolve();
      }
    });
  });
  await first;
  const newest = () => instants.get(count - 1) ?? 0;
  return {
    async nearest(at, from, until) {
      while (newest() <= until && Date.now() < until + LATE_MS) await pause(LOOK_MS);
      let best: { readonly awayMs: number; readonly rgb: Buffer } | null = null;
      for (const [index, rgb] of pictures) {
        const taken = instants.get(index);
        if (taken === undefined || taken < from || taken > until) continue;
        const awayMs = Math.abs(taken - at);
        if (best === null || awayMs < best.awayMs) best = { awayMs, rgb };
      }
      return best === null ? null : { width, height, rgb: best.rgb };
    },
    async stop() {
      ffmpeg.kill("SIGINT");
      await ended;
    },
  };
}
