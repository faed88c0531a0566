import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { CREATIVES_PATH } from "../world/catalogue.ts";

/** Where the bad creative is that is 200 MB of nothing; no file of that size is kept. */
export const HUGE_PATH = `${CREATIVES_PATH}bad/huge.mp4`;

const SIZE_BYTES = 200_000_000;
/** As much as a file stream reads at once. One chunk is sent again and again, so the memory does not grow with the size. */
const ZEROS = Buffer.alloc(64 * 1024);

/** An MP4 that begins as one should, so that nobody can tell from its first bytes, and then is one box of padding. */
const HEAD = mp4Head();

/** The bytes of the huge creative from one offset to another, both included; what is beyond its end is left out. */
export function readNothing(first: number, last: number): Readable {
  return Readable.from(chunks(first, Math.min(last, SIZE_BYTES - 1)), { objectMode: false });
}

async function* chunks(first: number, last: number): AsyncGenerator<Buffer> {
  const head = HEAD.subarray(first, last + 1);
  if (head.length > 0) yield head;
  for (let at = first + head.length; at <= last; at += ZEROS.length) {
    // Nothing here waits for a disk, and other calls want their turn too.
    await setImmediate();
    yield ZEROS.subarray(0, last - at + 1);
  }
}

/** A file type box and the header of a `free` box that takes up the rest (ISO/IEC 14496-12, 4.3 and 8.1.2). */
function mp4Head(): Buffer {
  const fileType = Buffer.from("\0\0\0\x18ftypisom\0\0\x02\0isommp41", "latin1");
  const padding = Buffer.from("\0\0\0\0free", "latin1");
  padding.writeUInt32BE(SIZE_BYTES - fileType.length);
  return Buffer.concat([fileType, padding]);
}
