import type { Context } from "hono";
import { type Env, notFound, problem } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { type MediaRecord, recordMedia } from "../spot/ledger.ts";
import { bodyOf } from "./body.ts";
import type { MediaFile } from "./files.ts";
import { wishedRange } from "./range.ts";

/** How long media may be kept without asking again: as long as its URL is good for at least (F15). */
const FRESH_SECONDS = 3_600;

/** Answers GET and HEAD of a creative's file, in full or in part (A19). */
export async function answerMedia(
  c: Context<Env>,
  network: Network,
  files: ReadonlyMap<string, MediaFile>,
): Promise<Response> {
  const file = files.get(pathOf(c.req.url));
  if (file === undefined) return notFound(c);
  const { sizeBytes, etag } = await file.facts();
  c.header("etag", etag);
  c.header("accept-ranges", "bytes");
  c.header("cache-control", `public, max-age=${FRESH_SECONDS}`);
  c.header("x-content-type-options", "nosniff");
  if (isKnown(c.req.header("if-none-match"), etag)) return c.body(null, 304);

  const headers = { range: c.req.header("range"), ifRange: c.req.header("if-range") };
  const isHead = c.req.raw.method === "HEAD";
  const wish = isHead ? ({ kind: "whole" } as const) : wishedRange(headers, sizeBytes, etag);
  if (wish.kind === "unsatisfiable") {
    c.header("content-range", `bytes */${sizeBytes}`);
    return problem(c, 416, "range_not_satisfiable", `the file has ${sizeBytes} bytes`);
  }
  const { first, last } = wish.kind === "part" ? wish : { first: 0, last: sizeBytes - 1 };
  if (wish.kind === "part") c.header("content-range", `bytes ${first}-${last}/${sizeBytes}`);
  c.header("content-type", file.contentType);
  c.header("content-length", String(last - first + 1));
  if (isHead) return c.body(null, 200);
  const record = recordMedia(network.state.ledger, network.mediaUrl + c.env.incoming.url, network.clock.now());
  const sent = recording(c, record, { first, last }, sizeBytes);
  // There is no piece of an empty file to read.
  if (sizeBytes === 0) return c.body(null, 200);
  return c.body(bodyOf(file.read(first, last), sent), wish.kind === "part" ? 206 : 200);
}

function pathOf(url: string): string {
  const { pathname } = new URL(url);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** Whether the client says it has this version already (RFC 9110, 13.1.2; weak comparison). */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((given) => given.trim() === "*" || given.trim().replace(/^W\//, "") === etag);
}

/** Offsets in a file, both included. */
interface Piece {
  readonly first: number;
  readonly last: number;
}

/** Keeps the ledger's record up to date while the body goes out; complete is one that got to the file's last byte. */
function recording(c: Context<Env>, record: MediaRecord | null, { first, last }: Piece, sizeBytes: number) {
  if (record === null) return () => {};
  const { outgoing } = c.env;
  outgoing.once("finish", () => {
    record.complete = last === sizeBytes - 1 && record.bytes === last - first + 1;
  });
  return (bytes: number) => {
    record.bytes += bytes;
  };
}
