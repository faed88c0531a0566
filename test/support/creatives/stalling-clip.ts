import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../../../scripts/setup/paths.mjs";
import type { Creative } from "./catalogue.ts";

/** Frames before the gap: a second of them. */
const MOVING_FRAMES = 30;
const GAP_SECONDS = 20;

/** A clip of the catalogue that moves for a second, and then has no frame for long, as when a decoder wedges. */
export function stallingClip({ file }: Creative): Buffer {
  const gap = `setpts=if(gt(N\\,${MOVING_FRAMES})\\,PTS+${GAP_SECONDS}/TB\\,PTS)`;
  const input = ["-t", "2", "-i", join(ROOT, "assets/creatives", file)];
  const output = ["-an", "-vf", gap, "-fps_mode", "vfr", "-c:v", "libvpx", "-b:v", "8M", "-deadline", "realtime"];
  return execFileSync("ffmpeg", ["-loglevel", "error", ...input, ...output, "-f", "webm", "-"], { maxBuffer: 2 ** 26 });
}
