import type { Instant } from "../../core/spot.ts";

/** A body on its way out, piece by piece. */
export type Pieces = AsyncIterable<Uint8Array>;

/** Inverts the bytes at these offsets. */
export async function* inverted(pieces: Pieces, offsets: ReadonlySet<number>): AsyncGenerator<Uint8Array> {
  let begin = 0;
  for await (const piece of pieces) {
    const copy = Uint8Array.from(piece);
    for (const offset of offsets) {
      const at = offset - begin;
      const byte = copy[at];
      if (byte !== undefined) copy[at] = byte ^ 0xff;
    }
    begin += piece.length;
    yield copy;
  }
}

/** The first `count` bytes. */
export async function* first(pieces: Pieces, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  if (left <= 0) return;
  for await (const piece of pieces) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

/** How often in a second a slow body moves. */
const STEPS_PER_SECOND = 10;

/** When a body may go on. */
export interface Pace {
  now(): Instant;
  /** Resolves at an instant of virtual time, or when the other side has gone. */
  until(at: Instant): Promise<void>;
}

/** Lets through so many bytes in a second of virtual time, a tenth of them at a time. */
export async function* paced(pieces: Pieces, bytesPerSecond: number, pace: Pace): AsyncGenerator<Uint8Array> {
  const begunAt = pace.now();
  let sent = 0;
  const stepBytes = Math.ceil(bytesPerSecond / STEPS_PER_SECOND);
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += stepBytes) {
      const step = piece.subarray(at, at + stepBytes);
      yield step;
      sent += step.length;
      await pace.until(begunAt + (sent * 1000) / bytesPerSecond);
    }
  }
}

/** Applies a JSON merge patch (RFC 7396): members are merged, `null` takes one away, anything else takes its place. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
