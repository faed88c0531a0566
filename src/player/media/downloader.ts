import pRetry from "p-retry";
import type { LineRefusal } from "../network/media-line.ts";
import { isDiskFull } from "../stores/commit-flush.ts";
import {
  type Downloaded,
  type DownloadFailure,
  type DownloadTools,
  download,
  type KnownVersion,
  type MediaRequest,
  type Progress,
  type Unchanged,
} from "./download.ts";
import type { MediaOutcome } from "./media.ts";
import { PartialDownload, PartialDownloads } from "./partial-download.ts";

/** A request that waits for media. */
interface Asker {
  /** Aborted when the media is no longer needed. */
  readonly signal: AbortSignal;
  /** Called whenever bytes have come over the network; not for bytes that were on the disk. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Finds or downloads media. What it keeps, it holds once. */
type Download = (signal: AbortSignal, onProgress: (progress: Progress) => void) => Promise<MediaOutcome>;

/** What counts the holds on files. */
interface Holds {
  hold(digest: string): void;
  release(digest: string): void;
}

/** The outcome for an asker whose signal was aborted. */
const CALLED_OFF: MediaOutcome = { kind: "failed", reason: "called off", transient: true, status: null };

/**
 * One download for each key, however many ask for it. An asker whose signal is aborted hears so at once and the others
 * go on waiting; when no asker is left, the download is called off. Each asker who is told "kept" has one hold.
 */
export class Flights {
  readonly #holds: Holds;
  readonly #flights = new Map<string, Flight>();
  /** Downloads that were called off and have not ended yet, by their keys. */
  readonly #ending = new Map<string, Promise<void>>();

  constructor(holds: Holds) {
    this.#holds = holds;
  }

  has(key: string): boolean {
    return this.#flights.has(key);
  }

  /** Waits for what is under way under a key, or begins it with `download`. Rejects as `download` does. */
  async join(key: string, asker: Asker, download: Download): Promise<MediaOutcome> {
    if (asker.signal.aborted) return CALLED_OFF;
    const flight = this.#flights.get(key) ?? this.#begin(key, download);
    if (flight.progress !== null) asker.onProgress?.(flight.progress);
    return new Promise((resolve, reject) => {
      const leave = () => {
        flight.waiting.delete(waiting);
        resolve(CALLED_OFF);
        if (flight.waiting.size === 0) this.#callOff(key, flight);
      };
      const settled = () => asker.signal.removeEventListener("abort", leave);
      const waiting: Waiting = {
        onProgress: asker.onProgress,
        land(outcome) {
          settled();
          resolve(outcome);
        },
        crash(error) {
          settled();
          reject(error);
        },
      };
      flight.waiting.add(waiting);
      asker.signal.addEventListener("abort", leave, { once: true });
      // What has come already may have been more than the asker wants.
      if (asker.signal.aborted) leave();
    });
  }

  /** Resolves when nothing is under way any more. */
  async quiet(): Promise<void> {
    await Promise.all([...[...this.#flights.values()].map(({ ended }) => ended), ...this.#ending.values()]);
  }

  #begin(key: string, download: Download): Flight {
    const control = new AbortController();
    const waiting = new Set<Waiting>();
    const onProgress = (progress: Progress) => {
      flight.progress = progress;
      for (const { onProgress: hear } of [...waiting]) hear?.(progress);
    };
    // The one before under this key may still have the partial file.
    const before = this.#ending.get(key) ?? Promise.resolve();
    const ended = before
      .then(() => download(control.signal, onProgress))
      .then(
        (outcome) => this.#land(key, flight, outcome),
        (error: unknown) => {
          this.#forget(key, flight);
          for (const { crash } of waiting) crash(error);
        },
      );
    const flight: Flight = { control, waiting, ended, progress: null };
    this.#flights.set(key, flight);
    return flight;
  }

  #land(key: string, flight: Flight, outcome: MediaOutcome): void {
    this.#forget(key, flight);
    if (outcome.kind === "kept") {
      for (const _ of flight.waiting) this.#holds.hold(outcome.media.digest);
      this.#holds.release(outcome.media.digest);
    }
    for (const { land } of flight.waiting) land(outcome);
  }

  #callOff(key: string, flight: Flight): void {
    this.#forget(key, flight);
    const ending = flight.ended.finally(() => {
      if (this.#ending.get(key) === ending) this.#ending.delete(key);
    });
    this.#ending.set(key, ending);
    flight.control.abort();
  }

  #forget(key: string, flight: Flight): void {
    if (this.#flights.get(key) === flight) this.#flights.delete(key);
  }
}

interface Waiting {
  readonly onProgress: ((progress: Progress) => void) | undefined;
  land(outcome: MediaOutcome): void;
  crash(error: unknown): void;
}

interface Flight {
  readonly control: AbortController;
  readonly waiting: Set<Waiting>;
  /** Resolves when the work is over, however it ended. */
  readonly ended: Promise<void>;
  progress: Progress | null;
}

/** Downloads of one file are tried this often without a byte coming, for what is unreachable only. */
const DOWNLOAD_TRIES = 3;
/** How many connections may break for one file, each after it brought some bytes. */
const MOST_CONNECTIONS = 200;
/** Wait before the second try of a download; it doubles. */
const FIRST_WAIT_MS = 500;

/** Sizes of so many deferred files are remembered, enough for a few pages with all their parts; the oldest give way. */
const MOST_DEFERRED = 1_000;

/** What downloads are made with. */
interface DownloaderParts extends Pick<DownloadTools, "folder" | "fetch" | "maxBytes" | "line" | "hold" | "release"> {
  /** The wait before the second try, in milliseconds; `FIRST_WAIT_MS` by default. */
  readonly retryMs?: number | undefined;
  /** Makes room on a disk that did not take a file of so many bytes, as far as that is known. */
  readonly makeRoom: (sizeBytes: number) => Promise<void>;
}

/** Downloads files into a folder, however often their connections break. */
export class Downloader {
  readonly #parts: DownloaderParts;
  readonly #partials: PartialDownloads;
  /** The sizes that files were deferred for, by their keys: they are not asked for again while the line refuses so much. */
  readonly #deferred = new Map<string, number>();

  constructor(parts: DownloaderParts) {
    this.#parts = parts;
    this.#partials = new PartialDownloads(parts.folder);
  }

  /**
   * Resumes the partial download of this key; tries again while the host is unreachable, then returns the last failure (G7).
   * Has room made once on a full disk. A file that is "downloaded" is held once.
   */
  async download(
    key: string,
    request: MediaRequest,
    signal: AbortSignal,
    onProgress?: (progress: Progress) => void,
  ): Promise<Downloaded | DownloadFailure> {
    const partial = this.#partials.take(key, request.md5 !== null);
    let roomMade = false;
    const attempt = async (): Promise<Downloaded | DownloadFailure> => {
      const had = partial.sizeBytes;
      const tools = { ...this.#parts, onProgress };
      const result = await download(request, partial, tools, signal).catch(async (error: unknown) => {
        const sizeBytes = partial.totalBytes ?? request.sizeBytes ?? partial.sizeBytes;
        // What the disk did not take is missing in the midst of the file, and counted as if it were there.
        await partial.discard();
        if (!roomMade && isDiskFull(error)) {
          roomMade = true;
          await this.discardPartials();
          await this.#parts.makeRoom(sizeBytes);
        }
        throw error;
      });
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
    }).catch((error: unknown): DownloadFailure => {
      if (error instanceof Unreachable) return error.failure;
      return { kind: "unreachable", reason: signal.aborted ? "called off" : String(error) };
    });
    this.#learn(key, result);
    if (result.kind === "unreachable" || result.kind === "deferred") await this.#partials.putBack(key, partial);
    else await partial.discard();
    return result;
  }

  /** Why a file must not be downloaded now, or null where it may be; of a partial download the rest counts. */
  refusal(key: string, { sizeBytes }: MediaRequest): LineRefusal | null {
    const { sizeBytes: had, totalBytes } = this.#partials.find(key) ?? { sizeBytes: 0, totalBytes: null };
    const whole = Math.max(had, totalBytes ?? 0, sizeBytes ?? 0, this.#deferred.get(key) ?? 0);
    return this.#parts.line.refusal(whole, whole - had);
  }

  /** Downloads a file if it has changed since `known`. One try: nothing waits for it. */
  async renew(
    key: string,
    request: MediaRequest,
    known: KnownVersion,
    signal: AbortSignal,
  ): Promise<Downloaded | Unchanged | DownloadFailure> {
    const sizeBytes = this.#deferred.get(key);
    const refusal = sizeBytes === undefined ? null : this.#parts.line.refusal(sizeBytes, sizeBytes);
    if (sizeBytes !== undefined && refusal !== null) return { kind: "deferred", refusal, sizeBytes };
    const partial = new PartialDownload(this.#parts.folder, request.md5 !== null);
    try {
      const result = await download(request, partial, { ...this.#parts, known }, signal);
      this.#learn(key, result);
      return result;
    } finally {
      await partial.discard();
    }
  }

  /** Removes partial downloads, to free space. */
  async discardPartials(): Promise<void> {
    await this.#partials.discardAll();
  }

  #learn(key: string, result: Downloaded | Unchanged | DownloadFailure): void {
    if (result.kind === "unreachable") return;
    this.#deferred.delete(key);
    if (result.kind !== "deferred") return;
    this.#deferred.set(key, result.sizeBytes);
    const [oldest] = this.#deferred.keys();
    if (this.#deferred.size > MOST_DEFERRED && oldest !== undefined) this.#deferred.delete(oldest);
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
