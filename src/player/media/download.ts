import { join } from "node:path";
import { type FollowedReply, type Reply, underControl } from "../../client/http.ts";
import { NO_REASON, reasonOf } from "../../client/reply.ts";
import type { StrikeKind } from "../../core/backoff.ts";
import { typeOf } from "../../core/media/media-type.ts";
import { countUnread, type LineRefusal, type MediaLine } from "../network/media-line.ts";
import { isDiskFull } from "../stores/commit-flush.ts";
import { codeOf } from "../stores/database.ts";
import { largerThan } from "./creative-blocklist.ts";
import { lengthIn, type Refusal, refusalOf, sizeIn, totalOfRest, validatorIn } from "./media.ts";
import type { AskedWith } from "./page-request.ts";
import type { Fingerprint, PartialDownload } from "./partial-download.ts";

/** What is to be downloaded, and what is known of it beforehand. */
export interface MediaRequest {
  readonly url: string;
  /** Base type that the bytes must look like, or `null` for any (a page's own sub-resources). */
  readonly mimeType: string | null;
  readonly sizeBytes: number | null;
  readonly md5: string | null;
  /** What a page asks for it with; what is its own is in `url`, too (`addressOf`). */
  readonly asked?: AskedWith;
}

/** A file that is whole and on the disk, named by the SHA-256 of its bytes. */
export interface Downloaded {
  readonly kind: "downloaded";
  readonly digest: string;
  readonly sizeBytes: number;
  /** The last answer's headers. */
  readonly headers: Headers;
  /** Where they came from, after redirects. */
  readonly finalUrl: string;
}

/** The server has nothing newer than what is known. */
export interface Unchanged {
  readonly kind: "unchanged";
  readonly headers: Headers;
}

/** A version of a file that is on the disk already, as its server named it. */
export interface KnownVersion {
  readonly etag: string | null;
  readonly lastModified: string | null;
}

/**
 * Why there is no file. `unreachable` may be better next time, `deferred` another time: the line is too dear now for
 * `sizeBytes`, all of the file as far as that is known.
 */
export type DownloadFailure =
  | { readonly kind: "deferred"; readonly refusal: LineRefusal; readonly sizeBytes: number }
  | Refusal
  | { readonly kind: "broken"; readonly reason: string; readonly fault: StrikeKind };

/** How far a download has come. */
export interface Progress {
  readonly receivedBytes: number;
  /** All that its server announced, or `null` where it did not say. */
  readonly announcedBytes: number | null;
}

/** One GET, or a POST of a body, whose redirects are followed; rejects when there is no answer. */
export type GetFollowed = (
  url: string,
  signal: AbortSignal,
  headers?: Readonly<Record<string, string>>,
  body?: string | null,
) => Promise<FollowedReply>;

/** How a download reaches out, and where it ends. */
export interface DownloadTools {
  readonly fetch: GetFollowed;
  readonly folder: string;
  readonly maxBytes: number;
  /** Where there is one, only another version is requested. */
  readonly known?: KnownVersion;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly line: MediaLine;
  /** Hears the digest just before a file gets its name: from then on it is in use and must not be evicted. */
  readonly hold: (digest: string) => void;
  /** Takes a hold back where the file could not get its name. */
  readonly release: (digest: string) => void;
}

/** A server that sends nothing for this long has gone; a slow one may take as long as it likes. */
export const PROGRESS_TIMEOUT_MS = 15_000;

/**
 * Streams what is missing of a URL to a partial file and, once it is whole, names that `folder`/<sha256>: hashed on the
 * way, length, digest and type checked, fsynced, then renamed, then the folder fsynced. What is under its digest is
 * whole, whenever the power fails. Memory does not grow with the file. What is broken is discarded; after a broken
 * connection the partial file can be handed in again. What is "downloaded" is held once.
 */
export async function download(
  request: MediaRequest,
  partial: PartialDownload,
  tools: DownloadTools,
  signal: AbortSignal,
): Promise<Downloaded | Unchanged | DownloadFailure> {
  return underControl(signal, (control) => downloadBy(control, request, partial, tools));
}

async function downloadBy(
  control: AbortController,
  request: MediaRequest,
  partial: PartialDownload,
  tools: DownloadTools,
): Promise<Downloaded | Unchanged | DownloadFailure> {
  const watch = watchOver((silence) => control.abort(silence));
  try {
    const headers = headersFor(request, partial, tools.known);
    const reply = await tools.fetch(request.url, control.signal, headers, request.asked?.query);
    watch.pause();
    if (reply.status === 304 && tools.known !== undefined) return { kind: "unchanged", headers: reply.headers };
    const failure =
      (await begin(reply, partial, control.signal)) ??
      (await pour(reply, partial, tools, watch, control.signal)) ??
      unfinished(partial);
    if (failure === null) return await finish(request, partial, reply, tools);
    await countUnread(reply, tools.line, control.signal);
    return failure;
  } catch (error) {
    if (isDiskError(error)) throw error;
    return { kind: "unreachable", reason: inWords(error) };
  } finally {
    watch.pause();
    control.abort();
    await partial.close();
  }
}

/** Watches whether a server goes on sending, from the start; not while the disk or the line's share is waited for. */
interface Watch {
  pause(): void;
  resume(): void;
}

function watchOver(onSilence: (silence: Error) => void): Watch {
  const silence = new Error(`nothing received for ${PROGRESS_TIMEOUT_MS} ms`);
  const begin = () => setTimeout(() => onSilence(silence), PROGRESS_TIMEOUT_MS);
  let watchdog = begin();
  return {
    pause: () => clearTimeout(watchdog),
    resume() {
      watchdog = begin();
    },
  };
}

/** Bytes are asked for as they are: a compressed answer could neither be resumed nor measured. */
function headersFor(
  { mimeType, asked }: MediaRequest,
  { sizeBytes, validator }: PartialDownload,
  known: KnownVersion | undefined,
): Record<string, string> {
  const headers: Record<string, string> = { ...asked?.usual, ...asked?.own, "accept-encoding": "identity" };
  // Some servers have something else for programs under the same URL.
  if (mimeType === "text/html") headers.accept ??= "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  // RFC 9110 section 13.1.5: a range is only asked for together with the version that it belongs to, and of what one gets.
  if (asked?.query) return headers;
  if (sizeBytes > 0 && validator !== null) return { ...headers, range: `bytes=${sizeBytes}-`, "if-range": validator };
  if (known?.etag) headers["if-none-match"] = known.etag;
  if (known?.lastModified) headers["if-modified-since"] = known.lastModified;
  return headers;
}

/**
 * Says what is wrong with an answer from its head; an answer with the whole file starts the partial one over. What has come
 * stays where a server has nothing to give just now.
 */
async function begin(reply: Reply, partial: PartialDownload, signal: AbortSignal): Promise<DownloadFailure | null> {
  const { status, headers } = reply;
  if (![200, TRANSFORMED, 206, 416].includes(status)) return refusalOf(reply, signal);
  const isWhole = status === 200 || status === TRANSFORMED;
  const totalBytes = isWhole ? sizeIn(headers) : totalOfRest(partial, headers);
  if (partial.sizeBytes > 0 && (isWhole || totalBytes === null)) await partial.discard();
  if (!isWhole && totalBytes === null) return { kind: "unreachable", reason: "another range than was asked for" };
  partial.wasResumed = partial.sizeBytes > 0;
  // What a proxy makes of a file is not what its server would go on with.
  if (!partial.wasResumed) partial.validator = status === TRANSFORMED ? null : validatorIn(headers);
  partial.totalBytes = totalBytes;
  return null;
}

/** The status of a 200 that a proxy has changed (RFC 9110, 15.3.4). */
const TRANSFORMED = 203;

/** Writes what comes to the partial file. Where it gives the file up, it leaves the rest of the answer unread. */
async function pour(
  { body, headers }: Reply,
  partial: PartialDownload,
  { maxBytes, onProgress, line }: DownloadTools,
  watch: Watch,
  signal: AbortSignal,
): Promise<DownloadFailure | null> {
  const announcedBytes = partial.totalBytes ?? lengthIn(headers);
  const deferral = (): DownloadFailure | null => {
    const sizeBytes = announcedBytes ?? partial.sizeBytes;
    const missingBytes = sizeBytes - partial.sizeBytes;
    const refusal = partial.sizeBytes === announcedBytes ? null : line.refusal(sizeBytes, missingBytes);
    return refusal && { kind: "deferred", refusal, sizeBytes };
  };
  const lane = line.enter(announcedBytes ?? 0);
  try {
    if ((announcedBytes ?? 0) > maxBytes) return tooLarge(maxBytes);
    onProgress?.({ receivedBytes: partial.sizeBytes, announcedBytes });
    const atOnce = deferral();
    if (atOnce !== null) return atOnce;
    watch.resume();
    for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
      watch.pause();
      const turn = lane.take(chunk.byteLength, signal);
      if (partial.sizeBytes + chunk.byteLength > maxBytes) return tooLarge(maxBytes);
      await partial.append(chunk);
      onProgress?.({ receivedBytes: partial.sizeBytes, announcedBytes });
      await turn;
      const inBetween = deferral();
      if (inBetween !== null) return inBetween;
      watch.resume();
    }
    return null;
  } finally {
    watch.pause();
    lane.leave();
  }
}

/** A server may give less of a file at a time than it was asked for (RFC 9110, 15.3.7): the rest is asked for anew. */
function unfinished({ sizeBytes, totalBytes }: PartialDownload): DownloadFailure | null {
  if (sizeBytes >= (totalBytes ?? 0)) return null;
  return { kind: "unreachable", reason: `${sizeBytes} of ${totalBytes} bytes received` };
}

async function finish(
  request: MediaRequest,
  partial: PartialDownload,
  { headers, url: finalUrl }: FollowedReply,
  { folder, hold, release }: DownloadTools,
): Promise<Downloaded | DownloadFailure> {
  const { sizeBytes } = partial;
  const fingerprint = partial.fingerprint();
  const reason = flaw(request, partial, fingerprint);
  if (reason !== null) {
    const { wasResumed } = partial;
    await partial.discard();
    // The two halves may be of two versions: the whole may be all right.
    return wasResumed
      ? { kind: "unreachable", reason: `after resuming: ${reason}` }
      : { kind: "broken", reason, fault: "delivery" };
  }
  const digest = fingerprint.sha256;
  // Held before it is there: other bytes that come in at the same time may evict what nobody holds.
  hold(digest);
  try {
    await partial.moveTo(join(folder, digest));
  } catch (error) {
    release(digest);
    throw error;
  }
  return { kind: "downloaded", digest, sizeBytes, headers, finalUrl };
}

/** What is wrong with bytes that came to an end, expected and found; `null` when they are as promised (F16). */
function flaw(
  request: MediaRequest,
  { sizeBytes, totalBytes }: PartialDownload,
  { md5, head }: Fingerprint,
): string | null {
  if (totalBytes !== null && totalBytes !== sizeBytes) return `${totalBytes} bytes announced, ${sizeBytes} received`;
  if (request.sizeBytes !== null && request.sizeBytes !== sizeBytes) {
    return `${request.sizeBytes} bytes promised, ${sizeBytes} received`;
  }
  if (request.md5 !== null && request.md5 !== md5) return `md5 ${request.md5} promised, ${md5} received`;
  if (request.mimeType === null) return null;
  if (sizeBytes === 0) return "no bytes";
  return typeOf(request.mimeType, head) !== null ? null : `the bytes are not ${request.mimeType}`;
}

function tooLarge(maxBytes: number): DownloadFailure {
  return { kind: "broken", reason: largerThan(maxBytes), fault: "certain" };
}

/** A code, or what a proxy had against it, tells more than "fetch failed". What `fetch` has against a URL quotes it whole. */
function inWords(error: unknown): string {
  const reason = reasonOf(error);
  return reason === NO_REASON && !(error instanceof TypeError) ? String(error) : reason;
}

/** A full or broken disk is not the network's fault: it carries a system error code and a failing call. */
function isDiskError(error: unknown): boolean {
  return isDiskFull(error) || ["EROFS", "EIO", "EACCES", "ENOENT", "EMFILE"].includes(codeOf(error) ?? "");
}
