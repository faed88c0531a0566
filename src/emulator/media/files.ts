import { createHash } from "node:crypto";
import { createReadStream, readdirSync } from "node:fs";
import { extname, join } from "node:path";
import type { Readable } from "node:stream";
import { CREATIVES_PATH } from "../world/catalogue.ts";
import { HUGE_PATH, readNothing } from "./nothing.ts";

/** A file that is served. */
export interface MediaFile {
  readonly contentType: string;
  /** Size and digest, read when first asked for. */
  facts(): Promise<FileFacts>;
  /** The bytes from one offset to another, both included. */
  read(first: number, last: number): Readable;
}

export interface FileFacts {
  readonly sizeBytes: number;
  /** Strong: of the content alone, quotes included. */
  readonly etag: string;
  /** In hexadecimal, as the contract's creatives have it. */
  readonly md5: string;
}

/** The most files in the folder, so that pointing it at the wrong one fails at once. */
const MOST_FILES = 10_000;

/**
 * The files of the creatives' folder by the URL path they are served at, and the huge one that is in no folder. Only
 * what this listing names is ever opened, so no request can reach outside; links are left out.
 */
export function mediaFiles(dir: string): ReadonlyMap<string, MediaFile> {
  const files = new Map([[HUGE_PATH, mediaFile(HUGE_PATH, readNothing)]]);
  const list = (folder: string, prefix: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      const read = (start: number, end: number) => createReadStream(path, { start, end });
      if (entry.isDirectory()) list(path, `${prefix}${entry.name}/`);
      else if (entry.isFile()) files.set(prefix + entry.name, mediaFile(path, read));
      if (files.size > MOST_FILES) throw new Error(`more than ${MOST_FILES} files in the creatives' folder ${dir}`);
    }
  };
  list(dir, CREATIVES_PATH);
  return files;
}

function mediaFile(path: string, read: MediaFile["read"]): MediaFile {
  let known: Promise<FileFacts> | null = null;
  return {
    contentType: CONTENT_TYPES[extname(path).toLowerCase()] ?? "application/octet-stream",
    facts() {
      known ??= factsOf(read(0, Number.POSITIVE_INFINITY));
      return known;
    },
    read,
  };
}

async function factsOf(file: AsyncIterable<Buffer>): Promise<FileFacts> {
  const hash = createHash("sha256");
  const md5 = createHash("md5");
  let sizeBytes = 0;
  for await (const chunk of file) {
    hash.update(chunk);
    md5.update(chunk);
    sizeBytes += chunk.length;
  }
  return { sizeBytes, etag: `"${hash.digest("base64url").slice(0, 22)}"`, md5: md5.digest("hex") };
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".mp4": "video/mp4",
  ".webm": "video/webm",
  ".jpg": "image/jpeg",
  ".png": "image/png",
  ".webp": "image/webp",
  ".svg": "image/svg+xml",
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".md": "text/plain; charset=utf-8",
};
