import { execFileSync } from "node:child_process";

/** A WebM of what ffmpeg is told to make, pictures at the times that they have. */
export function madeClip(made: readonly string[]): Buffer {
  const output = ["-fps_mode", "vfr", "-c:v", "libvpx", "-deadline", "realtime", "-c:a", "libopus", "-f", "webm", "-"];
  return execFileSync("ffmpeg", ["-loglevel", "error", ...made, ...output], { maxBuffer: 2 ** 26 });
}
