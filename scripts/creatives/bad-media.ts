import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Six seconds of a test picture, with the creative's name and the number of the frame burnt in. */
const SECONDS = 6;
const PICTURE = `testsrc=size=640x360:rate=30:duration=${SECONDS}`;
/** How much of the truncated clip there is. Its index is at the front, so that it plays until the bytes end. */
const TRUNCATED_SHARE = 0.4;

/** Makes the videos among the bad creatives in a folder. `exact`: what makes the same pictures the same bytes. */
export const badMedia: Readonly<Record<string, (folder: string, exact: readonly string[]) => void>> = {
  "bad-empty": (folder) => writeFileSync(join(folder, "empty.mp4"), ""),
  "bad-codec": (folder, exact) => {
    encode("bad-codec", ["-c:v", "mpeg4", "-q:v", "24", ...exact, join(folder, "codec.mp4")]);
  },
  "bad-truncated": (folder, exact) => {
    const path = join(folder, "truncated.mp4");
    const codec = ["-c:v", "libx264", "-preset", "slow", "-crf", "34", "-pix_fmt", "yuv420p"];
    encode("bad-truncated", [...codec, "-movflags", "+faststart", ...exact, path]);
    const whole = readFileSync(path);
    writeFileSync(path, whole.subarray(0, whole.length * TRUNCATED_SHARE));
  },
};

function encode(name: string, output: readonly string[]): void {
  const style = "font=DejaVu Sans Mono:fontcolor=white:box=1:boxcolor=0x1d2b45:boxborderw=10";
  const label = `drawtext=text=${name}:fontsize=40:x=20:y=h-th-20:${style}`;
  const counter = `drawtext=text=%{n}:fontsize=40:x=w-tw-20:y=h-th-20:${style}`;
  const input = ["-f", "lavfi", "-i", `${PICTURE},${label},${counter}`];
  execFileSync("ffmpeg", ["-loglevel", "error", "-y", ...input, ...output], { stdio: "inherit" });
  console.log(`${name}: ${SECONDS} s`);
}
