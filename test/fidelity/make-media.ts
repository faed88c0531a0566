import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { CACHE } from "../../scripts/setup/paths.mjs";
import { interlacedPng } from "./interlaced-png.ts";
import { editJpeg } from "./jpeg-edit.ts";
import { FRAMES_PER_SECOND, type Making, MEDIA } from "./media.ts";
import { PAGE_MEDIA } from "./page-media.ts";
import { paintScene } from "./scene.ts";
import { turnClip } from "./turn-clip.ts";

type Encoded = Extract<Making, { kind: "encoded" }>;

/** A file that is to be there, and how it is made. */
export interface FileRecipe {
  readonly file: string;
  readonly make: Making;
}

const COMMITTED = join(import.meta.dirname, "media");
const SOURCES = ["scene.ts", "jpeg-edit.ts", "turn-clip.ts", "interlaced-png.ts", "make-media.ts"];

/** Makes what is missing of the pictures and clips, and answers with their folder. Each is kept until its recipe changes. */
export async function makeMedia(signal: AbortSignal, progress: (text: string) => void): Promise<string> {
  const folder = join(CACHE, "fidelity");
  mkdirSync(folder, { recursive: true });
  const sources = SOURCES.map((file) => readFileSync(join(import.meta.dirname, file), "utf8")).join();
  const recipes: readonly FileRecipe[] = [...MEDIA, ...PAGE_MEDIA];
  for (const [index, { file, make }] of recipes.entries()) {
    signal.throwIfAborted();
    const stamp = join(folder, `${file}.made`);
    const given = make.kind === "committed" ? readFileSync(join(COMMITTED, file)) : sources;
    const digest = createHash("sha256").update(JSON.stringify(make)).update(given).digest("hex");
    if (existsSync(join(folder, file)) && existsSync(stamp) && readFileSync(stamp, "utf8") === digest) continue;
    progress(`${index + 1} of ${recipes.length}: ${file}`);
    await makeFile(folder, { file, make });
    writeFileSync(stamp, digest);
  }
  return folder;
}

/** Makes one of them, in a folder that is there. */
export async function makeFile(folder: string, { file, make }: FileRecipe): Promise<void> {
  const path = join(folder, file);
  switch (make.kind) {
    case "encoded":
      return encode(path, make);
    case "interlaced-png": {
      const { width, height } = make;
      const pixels = paintScene({ width, height, progress: 1, hasAlpha: false });
      return writeFileSync(path, interlacedPng(width, height, pixels));
    }
    case "text":
      return writeFileSync(path, make.text);
    case "committed":
      return copyFileSync(join(COMMITTED, file), path);
  }
}

async function encode(path: string, make: Encoded): Promise<void> {
  const { width, height, frames, args, hasAlpha = false, sound = false, edit } = make;
  const raw = ["-f", "rawvideo", "-pix_fmt", "rgba", "-video_size", `${width}x${height}`];
  const silence = sound ? ["-f", "lavfi", "-i", "sine=frequency=440", "-shortest"] : [];
  const half = `${path}.half${extname(path)}`;
  const still = frames === 1 ? ["-frames:v", "1", "-update", "1"] : [];
  const stills = /\.(?:mp4|webm|avif|webp|gif)$/.test(path) ? [] : still;
  const input = [...raw, "-framerate", String(FRAMES_PER_SECOND), "-i", "-", ...silence];
  await ffmpeg([...input, ...args, ...stills, ...EXACT, half], function* () {
    // The last third is at rest, so that it matters little which of the last frames is compared.
    for (let frame = 0; frame < frames; frame++) {
      const progress = frames === 1 ? 1 : Math.min(frame / (frames * 0.66), 1);
      yield paintScene({ width, height, progress, hasAlpha });
    }
  });
  if (edit !== undefined) {
    const whole = readFileSync(half);
    writeFileSync(half, edit.kind === "quarter-turn" ? turnClip(whole) : editJpeg(whole, edit));
  }
  renameSync(half, path);
}

/** The same bytes wherever the same ffmpeg makes them. */
const EXACT = ["-fflags", "+bitexact", "-flags:v", "+bitexact", "-map_metadata", "-1"];
const ENCODE_WITHIN_MS = 60_000;

async function ffmpeg(args: readonly string[], frames: () => Iterable<Buffer>): Promise<void> {
  const child = spawn("ffmpeg", ["-loglevel", "error", "-y", ...args], { timeout: ENCODE_WITHIN_MS });
  const said: Buffer[] = [];
  child.stderr.on("data", (chunk) => said.push(chunk));
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  // An ffmpeg that gives up closes its input; what it says then is the reason.
  child.stdin.on("error", () => {});
  for (const frame of frames()) {
    if (!child.stdin.write(frame)) {
      await Promise.race([new Promise((resolve) => child.stdin.once("drain", resolve)), ended]);
    }
  }
  child.stdin.end();
  const code = await ended;
  if (code !== 0) throw new Error(`ffmpeg ${args.join(" ")} ended with ${code}: ${Buffer.concat(said)}`);
}
