import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { ROOT } from "../../scripts/setup/paths.mjs";

/** An H.264 clip, 1280x720 at 30 frames/s, as long as an item in the field. */
export interface Clip {
  readonly path: string;
  readonly url: string;
  readonly durationMs: number;
  close(): Promise<void>;
}

const DURATION_S = 10;

/** Makes the clip in a folder out of a shorter sample, and serves it. */
export async function serveClip(folder: string): Promise<Clip> {
  const path = join(folder, "clip.mp4");
  const sample = join(ROOT, "assets/creatives/news-transit.mp4");
  const made = spawnSync("ffmpeg", [
    "-loglevel",
    "error",
    "-stream_loop",
    "-1",
    "-i",
    sample,
    "-t",
    String(DURATION_S),
    "-c",
    "copy",
    path,
  ]);
  if (made.status !== 0) throw new Error(`ffmpeg made no clip: ${made.stderr}`);

  const bytes = readFileSync(path);
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "video/mp4", "content-length": bytes.length }).end(bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    path,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/clip.mp4`,
    durationMs: DURATION_S * 1000,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
