import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { ROOT } from "../../../scripts/setup/paths.mjs";
import type { WholeItem } from "../../../src/emulator/spot/planned.ts";

/** Creatives that are hard to show, each with the code of the sample that it is made of. */
export interface HeavyCreatives {
  readonly items: Readonly<Record<"huge" | "blocking" | "busy" | "short", WholeItem>>;
  close(): Promise<void>;
}

interface Made {
  readonly sample: string;
  readonly mimeType: string;
  readonly durationMs: number;
  readonly bytes: Buffer;
}

const CREATIVES = join(ROOT, "assets/creatives");

/** Makes them in a folder and serves them on loopback. */
export async function serveHeavyCreatives(folder: string): Promise<HeavyCreatives> {
  const made: Record<keyof HeavyCreatives["items"], Made> = {
    huge: {
      ...{ sample: "news-headlines", mimeType: "image/jpeg", durationMs: 2_500 },
      bytes: ffmpeg(folder, "huge.jpg", ["-i", "news-headlines.jpg", "-vf", "scale=7680:4320", "-q:v", "2"]),
    },
    blocking: page("ad-cycling", "block(500);"),
    busy: page("ad-cycling", "const turn = () => { block(12); requestAnimationFrame(turn); }; turn();"),
    short: {
      ...{ sample: "ad-coffee", mimeType: "video/mp4", durationMs: 2_500 },
      bytes: ffmpeg(folder, "short.mp4", ["-i", "ad-coffee.mp4", "-t", "1", "-c", "copy"]),
    },
  };
  const server = createServer(({ url = "" }, response) => {
    const found = made[url.slice(1) as keyof typeof made];
    if (found === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": found.mimeType, "content-length": found.bytes.length }).end(found.bytes);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const items = Object.entries(made).map(([name, { sample, mimeType, durationMs }]) => {
    const sizes = { width: 1_920, height: 1_080, duration: durationMs };
    return [name, { id: sample, title: name, mimeType, ...sizes, url: `http://127.0.0.1:${port}/${name}` }];
  });
  return {
    items: Object.fromEntries(items) as HeavyCreatives["items"],
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A sample page with a script that comes before its first frame. */
function page(sample: string, script: string): Made {
  const block = "const block = (ms) => { const until = performance.now() + ms; while (performance.now() < until); };";
  const html = readFileSync(join(CREATIVES, `${sample}.html`), "utf8");
  const bytes = Buffer.from(html.replace("<style>", `<script>${block} ${script}</script><style>`));
  return { sample, mimeType: "text/html", durationMs: 2_500, bytes };
}

function ffmpeg(folder: string, name: string, args: readonly string[]): Buffer {
  const path = join(folder, name);
  const run = spawnSync("ffmpeg", ["-loglevel", "error", ...args, path], { cwd: CREATIVES });
  if (run.status !== 0) throw new Error(`ffmpeg made no ${name}: ${run.stderr}`);
  return readFileSync(path);
}
