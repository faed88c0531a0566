import type { Readable } from "node:stream";
import { type Context, Hono } from "hono";
import { faulty } from "../faults/middleware.ts";
import {
  type Answerer,
  answerWith,
  type Env,
  failed,
  journalled,
  json,
  leaveUnanswered,
  methodNotAllowed,
  notFound,
  problem,
} from "../http/answers.ts";
import { pathnameOf } from "../http/body.ts";
import type { Network } from "../network.ts";
import { type MediaRecord, POP_PATH, provePlay, recordMedia } from "../spot/ledger.ts";
import { CREATIVES_PATH } from "../world/creatives.ts";
import { fileAt, type MediaFile } from "./files.ts";

/** What the page that never loads asks for. */
const NEVER_PATH = `${CREATIVES_PATH}bad/never.png`;

/** The media listener: the files that spots point at, and the proof-of-play URLs. */
export function mediaApp(network: Network, files: ReadonlyMap<string, MediaFile>): Hono<Env> {
  const app = new Hono<Env>();
  const called = (answerer: Answerer) => journalled(network, "media", faulty(network, "media", files, answerer));
  // `all`, because a HEAD that was taken for a GET would count a proof.
  app.all(
    `${POP_PATH}*`,
    called((c) => {
      c.get("note").route = "pop";
      return c.req.raw.method === "GET" ? answerPop(c, network) : methodNotAllowed(c, ["GET"]);
    }),
  );
  app.all(
    NEVER_PATH,
    called((c) => {
      c.get("note").route = "media";
      return leaveUnanswered(c);
    }),
  );
  app.all(
    `${CREATIVES_PATH}*`,
    called((c) => {
      c.get("note").route = "media";
      const readable = c.req.raw.method === "GET" || c.req.raw.method === "HEAD";
      return readable ? answerMedia(c, network, files) : methodNotAllowed(c, ["GET", "HEAD"]);
    }),
  );
  app.notFound(called(notFound));
  app.onError(failed);
  return app;
}

/** Answers a call of a proof-of-play URL, which must be to the byte as it was given out (F7-F12). */
function answerPop(c: Context<Env>, network: Network): Response {
  const note = c.get("note");
  note.head["cache-control"] = "no-store";
  const { ledger, switches } = network.state;
  const path = c.env.incoming.url ?? "";
  const { verdict, status, spot } = provePlay(ledger, path, network.clock.now(), switches.earlyPop);
  const { orgToken = null, screenId = null, requestId = null } = spot ?? {};
  Object.assign(note, { orgToken, screenId, requestId });
  switch (verdict) {
    case "counted":
      return json(c, {});
    case "duplicate":
    case "early":
      if (status !== 200) return problem(c, 400, "pop_early", "the item cannot have been shown in full yet");
      note.warnings.push(`${verdict} proof of play`);
      return json(c, {});
    case "late":
      return problem(c, 410, "pop_expired", "the hour after the spot request is over");
    case "unknown":
      return problem(c, 404, "unknown_pop", "no spot has this proof-of-play URL");
  }
}

/** How long media may be kept without asking again: as long as its URL is good for at least (F15). */
const FRESH_SECONDS = 3_600;

/** Answers GET and HEAD of a creative's file, in full or in part (A19). */
async function answerMedia(
  c: Context<Env>,
  network: Network,
  files: ReadonlyMap<string, MediaFile>,
): Promise<Response> {
  const file = fileAt(files, pathnameOf(c));
  if (file === undefined) return notFound(c);
  const { sizeBytes, etag } = await file.facts();
  const { head } = c.get("note");
  head.etag = etag;
  head["accept-ranges"] = "bytes";
  head["cache-control"] = `public, max-age=${FRESH_SECONDS}`;
  head["x-content-type-options"] = "nosniff";
  if (isKnown(c.req.header("if-none-match"), etag)) return answerWith(c, null, 304);

  const headers = { range: c.req.header("range"), ifRange: c.req.header("if-range") };
  const isHead = c.req.raw.method === "HEAD";
  const range = isHead ? ({ kind: "whole" } as const) : parseRange(headers, sizeBytes, etag);
  if (range.kind === "unsatisfiable") {
    head["content-range"] = `bytes */${sizeBytes}`;
    return problem(c, 416, "range_not_satisfiable", `the file has ${sizeBytes} bytes`);
  }
  const { first, last } = range.kind === "part" ? range : { first: 0, last: sizeBytes - 1 };
  if (range.kind === "part") head["content-range"] = `bytes ${first}-${last}/${sizeBytes}`;
  head["content-type"] = file.contentType;
  head["content-length"] = String(last - first + 1);
  if (isHead) return answerWith(c, null, 200);
  const record = recordMedia(network.state.ledger, network.mediaUrl + c.env.incoming.url, network.clock.now());
  const sent = recording(c, record, { first, last }, sizeBytes);
  // There is no piece of an empty file to read.
  if (sizeBytes === 0) return answerWith(c, null, 200);
  return answerWith(c, bodyOf(file.read(first, last), last - first + 1, sent), range.kind === "part" ? 206 : 200);
}

/** Whether the client says it has this version already (RFC 9110, 13.1.2; weak comparison). */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(",").some((given) => given.trim() === "*" || given.trim().replace(/^W\//, "") === etag);
}

/** Which bytes of a file a request wants. `first` and `last` are offsets, both included. */
type WantedRange =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly first: number; readonly last: number }
  | { readonly kind: "unsatisfiable" };

/** What a request says about ranges; absent headers are `undefined`. */
interface RangeHeaders {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
}

/**
 * Reads a `Range` header against a file (RFC 9110, 14.2). One range is honoured; several, another unit or anything
 * unreadable give the whole file, as does an `If-Range` that does not name exactly this version (13.1.5).
 */
function parseRange({ range, ifRange }: RangeHeaders, sizeBytes: number, etag: string): WantedRange {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return { kind: "whole" };
  const [, from = "", to = ""] = /^bytes=(\d*)-(\d*)$/i.exec(range.replace(/[ \t]/g, "")) ?? [];
  if (from === "" && to === "") return { kind: "whole" };
  if (from === "") return suffix(Number(to), sizeBytes);

  const first = Number(from);
  const last = to === "" ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== "" && Number(to) < first) return { kind: "whole" };
  return first < sizeBytes ? { kind: "part", first, last } : { kind: "unsatisfiable" };
}

function suffix(count: number, sizeBytes: number): WantedRange {
  if (count === 0 || sizeBytes === 0) return { kind: "unsatisfiable" };
  return { kind: "part", first: Math.max(0, sizeBytes - count), last: sizeBytes - 1 };
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

/**
 * Streams a piece of a file, so many bytes, reading on only as the other side takes it, and tells `sent` of every chunk
 * handed on. The file is closed when the other side goes away.
 */
export function bodyOf(file: Readable, sizeBytes: number, sent: (bytes: number) => void): ReadableStream<Uint8Array> {
  const chunks = file[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let left = sizeBytes;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) return controller.close();
        sent(value.length);
        controller.enqueue(value);
        left -= value.length;
        if (left > 0) return;
        // Not once the file has been closed: by then the client would long have all of it, and the ledger not know.
        controller.close();
        file.destroy();
      },
      cancel: () => void file.destroy(),
    },
    // No chunk ahead of the one that is being taken: what counts as sent has left.
    { highWaterMark: 0 },
  );
}
