import { createHash, randomBytes } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Get, Reply } from "../client/reply.ts";
import { SNIFF_BYTES, startsLike } from "../core/media-type.ts";

/** What is to be downloaded, and what is known of it beforehand. */
export interface Wanted {
  readonly url: string;
  /** Base type that the bytes must look like, or `null` for any (a page's own sub-resources). */
  readonly mimeType: string | null;
  readonly sizeBytes: number | null;
  readonly md5: string | null;
}

/** A file that is whole and on the disk, named by the SHA-256 of its bytes. */
export interface Downloaded {
  readonly kind: "downloaded";
  readonly digest: string;
  readonly sizeBytes: number;
  /** The answer's Content-Type as sent, or empty. */
  readonly contentType: string;
}

/** Why there is no file. Only `unreachable` may be better next time. */
export type DownloadFailure =
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "broken"; readonly reason: string };

/** How a download reaches out, and where it ends. */
export interface DownloadTools {
  readonly fetch: Get;
  readonly folder: string;
  readonly maxBytes: number;
}

/** A server that sends nothing for this long has gone; a slow one may take as long as it likes. */
export const PROGRESS_TIMEOUT_MS = 15_000;
/** Ends the names of files that are not whole yet. */
export const PART_SUFFIX = ".part";

/**
 * Streams a URL to `folder`/<sha256>: hashed on the way, length, digest and type checked, fsynced, then renamed, then
 * the folder fsynced. What is under its digest is whole, whenever the power fails. Memory does not grow with the file.
 */
export async function download(
  wanted: Wanted,
  tools: DownloadTools,
  signal: AbortSignal,
): Promise<Downloaded | DownloadFailure> {
  const control = new AbortController();
  const callOff = () => control.abort(signal.reason);
  signal.addEventListener("abort", callOff, { once: true });
  const silence = new Error(`nothing received for ${PROGRESS_TIMEOUT_MS} ms`);
  const watchdog = setTimeout(() => control.abort(silence), PROGRESS_TIMEOUT_MS);
  const progressed = () => void watchdog.refresh();
  const part = join(tools.folder, randomBytes(8).toString("hex") + PART_SUFFIX);
  try {
    const response = await tools.fetch(wanted.url, control.signal);
    if (response.status !== 200) {
      await response.body?.cancel();
      return refusal(response.status);
    }
    const written = await write(response, part, wanted, tools.maxBytes, progressed);
    if (written.kind !== "downloaded") return written;
    await rename(part, join(tools.folder, written.digest));
    await syncFolder(tools.folder);
    return written;
  } catch (error) {
    if (isDiskError(error)) throw error;
    return { kind: "unreachable", reason: String(error) };
  } finally {
    clearTimeout(watchdog);
    signal.removeEventListener("abort", callOff);
    control.abort();
    await rm(part, { force: true });
  }
}

async function write(
  response: Reply,
  part: string,
  wanted: Wanted,
  maxBytes: number,
  progressed: () => void,
): Promise<Downloaded | DownloadFailure> {
  const file = await open(part, "wx");
  const sha256 = createHash("sha256");
  const md5 = wanted.md5 === null ? null : createHash("md5");
  let sizeBytes = 0;
  let head: Buffer = Buffer.alloc(0);
  try {
    for await (const chunk of response.body ?? []) {
      progressed();
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) return { kind: "broken", reason: `more than ${maxBytes} bytes` };
      if (head.length < SNIFF_BYTES) head = Buffer.concat([head, chunk.subarray(0, SNIFF_BYTES)]);
      sha256.update(chunk);
      md5?.update(chunk);
      await writeAll(file, chunk);
    }
    const reason = flaw(wanted, sizeBytes, md5?.digest("hex") ?? null, head);
    if (reason !== null) return { kind: "broken", reason };
    await file.sync();
  } finally {
    await file.close();
  }
  const contentType = response.headers.get("content-type") ?? "";
  return { kind: "downloaded", digest: sha256.digest("hex"), sizeBytes, contentType };
}

async function writeAll(file: Awaited<ReturnType<typeof open>>, chunk: Uint8Array): Promise<void> {
  for (let written = 0; written < chunk.byteLength; ) {
    written += (await file.write(chunk, written)).bytesWritten;
  }
}

/** What is wrong with bytes that came to an end, expected and found; `null` when they are as promised (F16). */
function flaw(wanted: Wanted, sizeBytes: number, md5: string | null, head: Uint8Array): string | null {
  if (wanted.sizeBytes !== null && wanted.sizeBytes !== sizeBytes) {
    return `${wanted.sizeBytes} bytes promised, ${sizeBytes} received`;
  }
  if (wanted.md5 !== null && wanted.md5 !== md5) return `md5 ${wanted.md5} promised, ${md5} received`;
  if (wanted.mimeType === null) return null;
  if (sizeBytes === 0) return "no bytes";
  return startsLike(wanted.mimeType, head) ? null : `the bytes are not ${wanted.mimeType}`;
}

function refusal(status: number): DownloadFailure {
  if (status === 408 || status === 425 || status === 429 || status >= 500) {
    return { kind: "unreachable", reason: `status ${status}` };
  }
  return { kind: "refused", status };
}

/** A full or broken disk is not the network's fault: it carries a system error code and a failing call. */
function isDiskError(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code !== undefined && ["ENOSPC", "EDQUOT", "EROFS", "EIO", "EACCES", "ENOENT", "EMFILE"].includes(code);
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
