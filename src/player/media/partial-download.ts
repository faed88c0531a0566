import { createHash, type Hash, randomBytes } from "node:crypto";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { SNIFF_BYTES } from "../../core/media/media-type.ts";
import { MOST_UNWRITTEN_BYTES } from "../stores/commit-flush.ts";

/** Ends the names of files that are not whole yet. */
export const PART_SUFFIX = ".part";

/** What is known of bytes from reading them. */
export interface Fingerprint {
  /** In lower-case hexadecimal digits. */
  readonly sha256: string;
  /** `null` where nobody asked for it. */
  readonly md5: string | null;
  /** The first `SNIFF_BYTES` of them. */
  readonly head: Uint8Array;
}

/**
 * A file on its way to the disk: hashed as it comes, and kept when the connection breaks, so that the next one goes on
 * where that ended. It lives no longer than the process: what is on the disk beyond it is swept at the next start.
 */
export class PartialDownload {
  readonly path: string;
  /** What the server calls this version of the file: a strong ETag, or else its date; `null` where it cannot be resumed. */
  validator: string | null = null;
  /** How long the whole of it is, as far as the server has said; all of it is there when so much has come. */
  totalBytes: number | null = null;
  /** Whether it came over more than one connection. */
  wasResumed = false;
  #sizeBytes = 0;
  #sha256 = createHash("sha256");
  #md5: Hash | null;
  #head: Buffer = Buffer.alloc(0);
  #file: FileHandle | null = null;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** The write under way. */
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string, withMd5: boolean) {
    this.#md5 = withMd5 ? createHash("md5") : null;
    this.path = join(folder, randomBytes(8).toString("hex") + PART_SUFFIX);
  }

  /** How many bytes have come. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Takes in what comes next; it is written behind what came before. */
  async append(chunk: Uint8Array): Promise<void> {
    if (this.#head.length < SNIFF_BYTES) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, SNIFF_BYTES - this.#head.length)]);
    }
    this.#sha256.update(chunk);
    this.#md5?.update(chunk);
    this.#sizeBytes += chunk.byteLength;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.byteLength;
    // The next buffer fills while this one is written.
    if (this.#waitingBytes < MOST_UNWRITTEN_BYTES) return;
    await this.#writing;
    this.#writing = this.#write();
    // The next call hears of a failure.
    this.#writing.catch(() => {});
  }

  /** Resolves when what has come would survive a power cut. */
  async sync(): Promise<void> {
    await this.#writing;
    await this.#write();
    await (await this.#opened()).sync();
  }

  fingerprint(): Fingerprint {
    return { sha256: hex(this.#sha256), md5: this.#md5 === null ? null : hex(this.#md5), head: this.#head };
  }

  /** Writes what is left and lets go of the file, until more comes. */
  async close(): Promise<void> {
    try {
      await this.#writing;
      await this.#write();
    } finally {
      const file = this.#file;
      this.#file = null;
      await file?.close();
    }
  }

  /** Gives the file its last name, under which it is whole whenever the power fails. */
  async moveTo(path: string): Promise<void> {
    await this.sync();
    await this.close();
    await rename(this.path, path);
    await syncFolder(dirname(path));
  }

  /** Removes what has come; the next bytes are the first. */
  async discard(): Promise<void> {
    this.#waiting = [];
    this.#waitingBytes = 0;
    await this.close().catch(() => {});
    this.#writing = Promise.resolve();
    await rm(this.path, { force: true });
    this.validator = null;
    this.totalBytes = null;
    this.wasResumed = false;
    this.#sizeBytes = 0;
    this.#sha256 = createHash("sha256");
    this.#md5 = this.#md5 === null ? null : createHash("md5");
    this.#head = Buffer.alloc(0);
  }

  async #write(): Promise<void> {
    const chunks = this.#waiting;
    const bytes = this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
    // Made only for what is to be in it: a file that has its last name already would be made once more.
    if (bytes === 0) return;
    const file = await this.#opened();
    await writeAll(file, chunks);
    await file.datasync();
  }

  async #opened(): Promise<FileHandle> {
    this.#file ??= await open(this.path, "a", 0o600);
    return this.#file;
  }
}

async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open folders; its file system journals the rename itself.
  if (process.platform === "win32") return;
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** One call as a rule; a disk that is nearly full may take less than all. */
async function writeAll(file: FileHandle, chunks: readonly Uint8Array[]): Promise<void> {
  const all = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
  for (let written = 0; written < all.byteLength; ) written += (await file.write(all, written)).bytesWritten;
}

/** The digest so far: more may follow. */
function hex(hash: Hash): string {
  return hash.copy().digest("hex");
}

/** How many files are kept half-way for a later try; the one that was put back longest ago makes room. */
const MOST_PARTIALS = 8;

/** Files that are not whole yet, kept for a later try in the same run. */
export class PartialDownloads {
  readonly #folder: string;
  readonly #shelf = new Map<string, PartialDownload>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The file under a key, with what has come so far, taken off the shelf; or a new, empty one. */
  take(key: string, withMd5: boolean): PartialDownload {
    const partial = this.#shelf.get(key) ?? new PartialDownload(this.#folder, withMd5);
    this.#shelf.delete(key);
    return partial;
  }

  /** The file that is on the shelf under a key, if there is one; it stays there. */
  find(key: string): Pick<PartialDownload, "sizeBytes" | "totalBytes"> | null {
    return this.#shelf.get(key) ?? null;
  }

  /** Puts a file back that may be gone on with, or discards one that is empty. */
  async putBack(key: string, partial: PartialDownload): Promise<void> {
    if (partial.sizeBytes === 0 || partial.validator === null) return partial.discard();
    this.#shelf.set(key, partial);
    const [oldest] = this.#shelf;
    if (this.#shelf.size <= MOST_PARTIALS || oldest === undefined) return;
    this.#shelf.delete(oldest[0]);
    await oldest[1].discard();
  }

  /** Gives up what is on the shelf, to make room. */
  async discardAll(): Promise<void> {
    const partials = [...this.#shelf.values()];
    this.#shelf.clear();
    await Promise.all(partials.map((partial) => partial.discard()));
  }
}
