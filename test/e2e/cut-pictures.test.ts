import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PlannedSpot } from "../../src/emulator/spot/planned.ts";
import { eventually } from "../support/machine/processes.ts";
import { endingsIn } from "../support/player/log-lines.ts";
import { openRig, type Rig } from "../support/player/rig.ts";

/** How pictures are made, of what. */
const MADE = {
  jpg: ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-f", "image2"],
  png: ["-c:v", "png", "-f", "image2"],
  avif: ["-c:v", "libaom-av1", "-still-picture", "1", "-cpu-used", "8", "-pix_fmt", "yuv420p", "-f", "avif"],
};
const PATTERN = "testsrc2=size=640x360";
/** What servers have of pictures that somebody did not upload to their end, and whole ones, of which one sees through two. */
const PICTURES: Readonly<Record<string, (folder: string) => Buffer>> = {
  "cut.jpg": (folder) => half(made(folder, PATTERN, MADE.jpg)),
  "cut.png": (folder) => half(made(folder, PATTERN, MADE.png)),
  "cut.avif": (folder) => half(made(folder, PATTERN, MADE.avif)),
  "whole.jpg": (folder) => made(folder, PATTERN, MADE.jpg),
  "clear.png": (folder) => made(folder, "color=red@0:size=640x360,format=rgba", MADE.png),
  "words.svg": () =>
    Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"><foreignObject width="300" height="99">
      <p xmlns="http://www.w3.org/1999/xhtml">Half price</p></foreignObject></svg>`),
};
const TYPES: Readonly<Record<string, string>> = {
  ...{ jpg: "image/jpeg", png: "image/png" },
  ...{ avif: "image/avif", svg: "image/svg+xml" },
};
const NAMES = Object.keys(PICTURES);
const CUT = NAMES.filter((name) => name.startsWith("cut"));

let rig: Rig;
let endings: ReadonlyMap<string, string>;
const bytes = new Map<string, Buffer>();
const server = createServer(({ url = "" }, response) => {
  const name = url.slice(1);
  response.writeHead(200, { "content-type": typeOf(name) }).end(bytes.get(name));
});

function typeOf(name: string): string {
  return TYPES[name.split(".")[1] ?? ""] ?? "";
}

beforeAll(async () => {
  rig = await openRig({ width: 640, height: 360 });
  for (const [name, bytesOf] of Object.entries(PICTURES)) bytes.set(name, bytesOf(rig.home));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await rig.emulator.next(NAMES.map(spotOf));
  const player = rig.play(["--config", rig.configure()]);
  const over = () => NAMES.every((name) => endingsIn(player.stderr).has(name));
  await eventually("the end of all", () => over() || undefined, 60_000);
  endings = endingsIn(player.stderr);
}, 90_000);

afterAll(async () => {
  await rig?.close();
  await new Promise((resolve) => server.close(resolve));
});

function made(folder: string, source: string, as: readonly string[]): Buffer {
  const path = `${folder}/made`;
  execFileSync("ffmpeg", ["-loglevel", "error", "-y", "-f", "lavfi", "-i", source, "-frames:v", "1", ...as, path]);
  return readFileSync(path);
}

function half(whole: Buffer): Buffer {
  return whole.subarray(0, Math.floor(whole.length / 2));
}

function spotOf(name: string): PlannedSpot {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/${name}`;
  const ad = { id: name, title: name, mimeType: typeOf(name), width: 640, height: 360, duration: 2_000, url };
  return { newsFirst: true, billable: true, news: null, ad };
}

describe("a picture whose bytes end before it does", () => {
  it.each(CUT)("is not shown, nor proved: %s", async (name) => {
    expect(endings.get(name)).toBe("undecodable");
    const spot = (await rig.emulator.ledger()).find(({ ad }) => ad?.id === name);
    expect(spot?.ad?.pops).toEqual([]);
  });

  it.each(NAMES.filter((name) => !CUT.includes(name)))("is told from a whole one: %s", (name) => {
    expect(endings.get(name)).toBe("shown");
  });
});
