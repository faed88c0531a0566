import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";

/** A file to be sent: its size is known, so that a range can be judged without touching the disk. */
export interface SentFile {
  /** Where it is, or its bytes from one to another, both inclusive. */
  readonly from: string | ((start: number, end: number) => AsyncIterable<Uint8Array>);
  readonly sizeBytes: number;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Answers a GET or HEAD from a file as RFC 9110 has it: 200, 206 for one byte range, 416 for one that lies outside.
 * Chromium seeks in media by ranges. The file is streamed and closed when the reader leaves.
 */
export function fileResponse(file: SentFile, request: { method: string; range: string | null }): Response {
  const headers = { ...file.headers, "accept-ranges": "bytes", "cache-control": "no-store" };
  const range = rangeOf(request.range, file.sizeBytes);
  if (range === "unsatisfiable") {
    return new Response(null, { status: 416, headers: { ...headers, "content-range": `bytes */${file.sizeBytes}` } });
  }
  const { start, end } = range ?? { start: 0, end: file.sizeBytes - 1 };
  const lengths = { ...headers, "content-length": String(end - start + 1) };
  const status = range === null ? 200 : 206;
  const ranged = range === null ? lengths : { ...lengths, "content-range": `bytes ${start}-${end}/${file.sizeBytes}` };
  const empty = request.method === "HEAD" || file.sizeBytes === 0;
  return new Response(empty ? null : streamOf(file.from, start, end), { status, headers: ranged });
}

interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** One range, first and last byte inclusive; anything that is no single byte range is ignored, as the RFC allows. */
function rangeOf(header: string | null, sizeBytes: number): ByteRange | "unsatisfiable" | null {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? "");
  const [, first = "", last = ""] = match ?? [];
  if (first === "" && last === "") return null;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return null;
  const start = first === "" ? Math.max(0, sizeBytes - Number(last)) : Number(first);
  const end = first === "" || last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  return start >= sizeBytes ? "unsatisfiable" : { start, end };
}

function streamOf(from: SentFile["from"], start: number, end: number): BodyInit {
  const stream =
    typeof from === "string"
      ? Readable.toWeb(createReadStream(from, { start, end }))
      : ReadableStream.from(from(start, end));
  return stream as BodyInit;
}
