import pRetry from "p-retry";
import type { Get } from "../../client/reply.ts";
import {
  type Downloaded,
  type DownloadFailure,
  download,
  type KnownVersion,
  type Unchanged,
  type Wanted,
} from "./download.ts";
import { Partial } from "./partial.ts";
import { Partials } from "./partials.ts";

/** Downloads of one file are tried this often without a byte coming, for what is unreachable only. */
const DOWNLOAD_TRIES = 3;
/** So many connections may break for one file, each after it brought some bytes. */
const MOST_CONNECTIONS = 200;
/** Wait before the second try of a download; it doubles. */
const FIRST_WAIT_MS = 500;

/** What downloads are made with. */
export interface DownloaderParts {
  readonly folder: string;
  readonly fetch: Get;
  readonly maxBytes: number;
  /** The wait before the second try, in milliseconds; `FIRST_WAIT_MS` unless told otherwise. */
  readonly retryMs?: number | undefined;
}

/** Brings files into a folder, however often their connections break. */
export class Downloader {
  readonly #parts: DownloaderParts;
  readonly #partials: Partials;

  constructor(parts: DownloaderParts) {
    this.#parts = parts;
    this.#partials = new Partials(parts.folder);
  }

  /**
   * Goes on with what an earlier try for this key brought; tries again what is unreachable, and the last failure stands
   * (G7).
   */
  async bring(key: string, wanted: Wanted, signal: AbortSignal): Promise<Downloaded | DownloadFailure> {
    const partial = this.#partials.take(key, wanted.md5 !== null);
    const attempt = async (): Promise<Downloaded | DownloadFailure> => {
      const had = partial.sizeBytes;
      const result = await download(wanted, partial, this.#parts, signal);
      if (result.kind === "unreachable") throw new Unreachable(result, partial.sizeBytes > had);
      if (result.kind === "unchanged") throw new Error("unchanged, though nothing was known");
      return result;
    };
    const result = await pRetry(attempt, {
      retries: DOWNLOAD_TRIES - 1,
      minTimeout: this.#parts.retryMs ?? FIRST_WAIT_MS,
      signal,
      shouldRetry: ({ attemptNumber }) => attemptNumber < MOST_CONNECTIONS,
      shouldConsumeRetry: ({ error }) => !(error instanceof Unreachable && error.progressed),
    }).catch(async (error: unknown): Promise<DownloadFailure> => {
      if (error instanceof Unreachable) return error.failure;
      // The disk is full or broken: half a file must not stay in the way.
      await partial.discard();
      return { kind: "unreachable", reason: String(error) };
    });
    if (result.kind === "unreachable") await this.#partials.putBack(key, partial);
    else await partial.discard();
    return result;
  }

  /** Brings a file if it is another version than the one that is there. Asked once: nobody waits for it. */
  async renew(
    wanted: Wanted,
    known: KnownVersion,
    signal: AbortSignal,
  ): Promise<Downloaded | Unchanged | DownloadFailure> {
    const partial = new Partial(this.#parts.folder, wanted.md5 !== null);
    try {
      return await download(wanted, partial, { ...this.#parts, known }, signal);
    } finally {
      await partial.discard();
    }
  }

  /** Gives up what is half-way, to make room. */
  async discardPartials(): Promise<void> {
    await this.#partials.discardAll();
  }
}

class Unreachable extends Error {
  readonly failure: DownloadFailure;
  /** Whether some bytes came before the connection broke. */
  readonly progressed: boolean;

  constructor(failure: DownloadFailure & { readonly kind: "unreachable" }, progressed: boolean) {
    super(failure.reason);
    this.failure = failure;
    this.progressed = progressed;
  }
}
