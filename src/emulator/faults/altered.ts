import type { Dice } from "../random.ts";
import { first, inverted, type Pace, type Pieces, paced } from "./bytes.ts";
import { chance } from "./choose.ts";
import { mergePatch } from "./merge-patch.ts";
import type { Mischief } from "./schema.ts";

/** An answer as it is to leave. `cut`: the connection is broken off after the pieces. */
export interface Altered {
  readonly status: number;
  readonly headers: Headers;
  readonly pieces: Pieces | null;
  readonly cut: boolean;
}

/** Changes an answer as a rule says. */
export async function altered(answer: Response, mischief: Mischief, dice: Dice, pace: Pace): Promise<Altered> {
  const headers = new Headers(answer.headers);
  const body = await bodyOf(answer, mischief);
  setHeaders(headers, mischief);
  if (body === null) return { status: answer.status, headers, pieces: null, cut: false };
  const { sizeBytes } = body;
  const { corrupt, bytesPerSecond, truncateAt = Number.POSITIVE_INFINITY, wrongLength } = mischief;
  let pieces = body.pieces;
  if (corrupt !== undefined) pieces = inverted(pieces, offsets(dice, Number(corrupt), sizeBytes));
  if (truncateAt < sizeBytes) pieces = first(pieces, truncateAt);
  if (bytesPerSecond !== undefined) pieces = paced(pieces, bytesPerSecond, pace);
  headers.set("content-length", String(Math.max(0, sizeBytes + Number(wrongLength ?? 0))));
  // With a wrong length nobody could tell where the next answer on the connection begins.
  if (wrongLength !== undefined) headers.set("connection", "close");
  return { status: answer.status, headers, pieces, cut: truncateAt < sizeBytes };
}

/** How long the answer is to be held back. */
export function latencyOf({ latencyMs = 0 }: Mischief, dice: Dice): number {
  if (typeof latencyMs === "number") return latencyMs;
  const { min, max } = latencyMs;
  return min + Math.floor(chance(dice, "fault-latency") * (max - min + 1));
}

function setHeaders(headers: Headers, { headers: given = {}, contentType, dateSkewMs, retryAfter }: Mischief): void {
  for (const [name, value] of Object.entries(given)) headers.set(name, value);
  if (contentType !== undefined) headers.set("content-type", contentType);
  if (retryAfter !== undefined) headers.set("retry-after", String(retryAfter));
  const date = Date.parse(headers.get("date") ?? "");
  if (dateSkewMs !== undefined && !Number.isNaN(date)) headers.set("date", new Date(date + dateSkewMs).toUTCString());
}

interface Body {
  readonly pieces: Pieces;
  readonly sizeBytes: number;
}

/** Files are passed on as they are read, with the length that they say; everything else is small and read whole. */
async function bodyOf(answer: Response, { patch, malformedJson }: Mischief): Promise<Body | null> {
  if (answer.body === null) return null;
  const length = answer.headers.get("content-length");
  if (length !== null) return { pieces: answer.body as unknown as Pieces, sizeBytes: Number(length) };
  let bytes = Buffer.from(await answer.arrayBuffer());
  if (answer.headers.get("content-type")?.startsWith("application/json")) {
    if (patch !== undefined) bytes = Buffer.from(JSON.stringify(mergePatch(JSON.parse(bytes.toString()), patch)));
    if (malformedJson) bytes = bytes.subarray(0, Math.ceil(bytes.length / 2));
  }
  return { pieces: oneOf(bytes), sizeBytes: bytes.length };
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes;
}

function offsets(dice: Dice, count: number, sizeBytes: number): ReadonlySet<number> {
  const wanted = Math.min(count, sizeBytes);
  const chosen = new Set<number>();
  while (chosen.size < wanted) chosen.add(Math.floor(chance(dice, "fault-corrupt") * sizeBytes));
  return chosen;
}
