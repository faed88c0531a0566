import { createHash, type Hash, randomBytes } from "node:crypto";
import { type FileHandle, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { SNIFF_BYTES } from "../core/media-type.ts";

/** Ends the names of files that are not whole yet. */
export const PART_SUFFIX = ".part";

/** What is known of bytes from reading them. */
export interface Fingerprint {
  /** In lower-case hexadecimal digits. */
  readonly sha256: string;
  readonly md5: string;
  /** The first `SNIFF_BYTES` of them. */
  readonly head: Uint8Array;
}

/**
 * A file on its way to the disk: hashed as it comes, and kept when the connection breaks, so that the next one goes on
 * where that ended. It lives no longer than the process: what is on the disk beyond it is swept at the next start.
 */
export class Partial {
  readonly path: string;
  /** What the server calls this version of the file: a strong ETag, or else its date; `null` where it cannot be resumed. */
  validator: string | null = null;
  /** Whether it came over more than one connection. */
  wasResumed = false;
  #sizeBytes = 0;
  #sha256 = createHash("sha256");
  #md5 = createHash("md5");
  #head: Buffer = Buffer.alloc(0);
  #file: FileHandle | null = null;

  constructor(folder: string) {
    this.path = join(folder, randomBytes(8).toString("hex") + PART_SUFFIX);
  }

  /** So many bytes have come. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  async append(chunk: Uint8Array): Promise<void> {
    this.#file ??= await open(this.path, "a", 0o600);
    if (this.#head.length < SNIFF_BYTES) {
      this.#head = Buffer.concat([this.#head, chunk.subarray(0, SNIFF_BYTES - this.#head.length)]);
    }
    this.#sha256.update(chunk);
    this.#md5.update(chunk);
    this.#sizeBytes += chunk.byteLength;
    for (let written = 0; written < chunk.byteLength; ) {
      written += (await this.#file.write(chunk, written)).bytesWritten;
    }
  }

  /** Resolves when what has come would survive a power cut. */
  async sync(): Promise<void> {
    this.#file ??= await open(this.path, "a", 0o600);
    await this.#file.sync();
  }

  fingerprint(): Fingerprint {
    return { sha256: hex(this.#sha256), md5: hex(this.#md5), head: this.#head };
  }

  /** Lets go of the file between two connections. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  /** Removes what has come; the next bytes are the first. */
  async discard(): Promise<void> {
    await this.close();
    await rm(this.path, { force: true });
    this.validator = null;
    this.wasResumed = false;
    this.#sizeBytes = 0;
    this.#sha256 = createHash("sha256");
    this.#md5 = createHash("md5");
    this.#head = Buffer.alloc(0);
  }
}

/** The digest so far: more may follow. */
function hex(hash: Hash): string {
  return hash.copy().digest("hex");
}
