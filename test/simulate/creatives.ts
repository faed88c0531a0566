import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WholeItem } from "../../src/emulator/spot/planned.ts";
import type { Chance } from "./chance.ts";

/** A file that the simulated network serves. */
export interface ServedFile {
  /** Below the creatives' folder. */
  readonly name: string;
  readonly bytes: Buffer;
  readonly sha256: string;
  readonly md5: string;
}

/** A creative as the simulated network has it. */
export interface SimulatedCreative {
  /** What it looks like in a spot, but for size and md5. */
  readonly item: WholeItem;
  readonly file: ServedFile;
  /** What a page loads besides itself, relative to the creatives' folder. */
  readonly subResources: readonly ServedFile[];
}

/** How each type of file begins: that is what the player looks at. */
const HEADS: Readonly<Record<string, Buffer>> = {
  "video/mp4": Buffer.from("\0\0\0\x18ftypmp42"),
  "video/webm": Buffer.from([0x1a, 0x45, 0xdf, 0xa3]),
  "image/png": Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
  "image/jpeg": Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  "image/webp": Buffer.from("RIFF\0\0\0\0WEBP"),
  "text/html": Buffer.from("<!doctype html>\n"),
};

const EXTENSIONS: Readonly<Record<string, string>> = {
  "video/mp4": "mp4",
  "video/webm": "webm",
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/webp": "webp",
  "text/html": "html",
};

const CREATIVES = 36;
const SMALLEST_BYTES = 700;
const LARGEST_BYTES = 24_000;
/** From shorter than it takes to load a page to as long as a screen shows anything: a day has about 700 spots. */
export const SHORTEST_MS = 7_000;
const LONGEST_MS = 115_000;

/** Makes the creatives of a simulated network, small ones of every type, and writes them into a folder. */
export function makeCreatives(folder: string, chance: Chance): readonly SimulatedCreative[] {
  mkdirSync(folder, { recursive: true });
  return Array.from({ length: CREATIVES }, (_, number) => makeOne(folder, chance, number));
}

function makeOne(folder: string, chance: Chance, number: number): SimulatedCreative {
  const mimeType = Object.keys(HEADS)[number % Object.keys(HEADS).length] as string;
  const id = `creative-${number}`;
  const isPage = mimeType === "text/html";
  const subResources = isPage
    ? [0, 1].map((part) => write(folder, `${id}-${part}.css`, bytes(chance, `${id}/${part}`, "")))
    : [];
  const file = write(folder, `${id}.${EXTENSIONS[mimeType]}`, bytes(chance, id, mimeType));
  const duration = chance.whole(SHORTEST_MS, LONGEST_MS, `${id} duration`);
  const url = `creatives/${file.name}${number % 5 === 0 ? "?signature=a%7Eb" : ""}`;
  return { item: { id, title: id, mimeType, width: 1920, height: 1080, duration, url }, file, subResources };
}

function bytes(chance: Chance, name: string, mimeType: string): Buffer {
  const head = HEADS[mimeType] ?? Buffer.alloc(0);
  const content = Buffer.alloc(chance.whole(SMALLEST_BYTES, LARGEST_BYTES, `${name} size`));
  for (let at = 0; at + 4 <= content.length; at += 4)
    content.writeInt32LE((Math.imul(at + 1, 2654435761) ^ (chance.roll(name) * 2 ** 31)) | 0, at);
  head.copy(content);
  return content;
}

function write(folder: string, name: string, content: Buffer): ServedFile {
  writeFileSync(join(folder, name), content);
  const digest = (algorithm: string) => createHash(algorithm).update(content).digest("hex");
  return { name, bytes: content, sha256: digest("sha256"), md5: digest("md5") };
}
