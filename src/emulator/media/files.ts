import { createHash } from "node:crypto";
import { createReadStream, readdirSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { CREATIVES_PATH, contentTypeOf } from "../world/creatives.ts";

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

/** Where the bad creative is that is 200 MB of nothing; no file of that size is kept. */
const HUGE_PATH = `${CREATIVES_PATH}bad/huge.mp4`;

const HUGE_BYTES = 200_000_000;
/** As much as a file stream reads at once. One chunk is sent again and again, so the memory does not grow with the size. */
const ZEROS = Buffer.alloc(64 * 1024);

/** An MP4 that begins as one should, so that nobody can tell from its first bytes, and then is one box of padding. */
const HUGE_HEAD = mp4Head();

/**
 * The files of the creatives' folder by the URL path they are served at, the huge one that is in no folder, and `own`,
 * those that a world brings. Only what this listing names is ever opened, so no request can reach outside; links are left
 * out.
 */
export function mediaFiles(dir: string, own: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, MediaFile> {
  const files = new Map([[HUGE_PATH, mediaFile(HUGE_PATH, readHugeFile)]]);
  const list = (folder: string, prefix: string) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) list(path, `${prefix}${entry.name}/`);
      else if (entry.isFile()) files.set(prefix + entry.name, fileOnDisk(path));
      if (files.size > MOST_FILES) throw new Error(`more than ${MOST_FILES} files in the creatives' folder ${dir}`);
    }
  };
  list(dir, CREATIVES_PATH);
  for (const [at, path] of own) files.set(at, ownFile(path));
  return files;
}

/** The file at the path of a URL, which may write any of its characters encoded. */
export function fileAt(files: ReadonlyMap<string, MediaFile>, pathname: string): MediaFile | undefined {
  try {
    return files.get(decodeURIComponent(pathname));
  } catch {
    return files.get(pathname);
  }
}

function fileOnDisk(path: string): MediaFile {
  return mediaFile(path, (start, end) => createReadStream(path, { start, end }));
}

/** A file of a world, on which somebody may be working: once it has changed, size and digest are read again. */
function ownFile(path: string): MediaFile {
  let file = fileOnDisk(path);
  let seen = "";
  return {
    ...file,
    async facts() {
      const { mtimeMs, size } = await stat(path);
      const found = `${mtimeMs}/${size}`;
      if (seen !== found) file = fileOnDisk(path);
      seen = found;
      return file.facts();
    },
  };
}

function mediaFile(path: string, read: MediaFile["read"]): MediaFile {
  let known: Promise<FileFacts> | null = null;
  return {
    contentType: contentTypeOf(path),
    facts() {
      known ??= factsOf(read(0, Number.POSITIVE_INFINITY)).catch((error) => {
        // What could not be read now may be readable the next time.
        known = null;
        throw error;
      });
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

/** The bytes of the huge creative from one offset to another, both included; what is beyond its end is left out. */
export function readHugeFile(first: number, last: number): Readable {
  return Readable.from(chunks(first, Math.min(last, HUGE_BYTES - 1)), { objectMode: false });
}

async function* chunks(first: number, last: number): AsyncGenerator<Buffer> {
  const head = HUGE_HEAD.subarray(first, last + 1);
  if (head.length > 0) yield head;
  for (let at = first + head.length; at <= last; at += ZEROS.length) {
    // Nothing here waits for a disk, and other calls want their turn too.
    await setImmediate();
    yield ZEROS.subarray(0, last - at + 1);
  }
}

/** A file type box and the header of a `free` box that takes up the rest (ISO/IEC 14496-12, 4.3 and 8.1.2). */
function mp4Head(): Buffer {
  const fileType = Buffer.from("\0\0\0\x18ftypisom\0\0\x02\0isommp41", "latin1");
  const padding = Buffer.from("\0\0\0\0free", "latin1");
  padding.writeUInt32BE(HUGE_BYTES - fileType.length);
  return Buffer.concat([fileType, padding]);
}
