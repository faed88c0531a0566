import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { codeOf } from "../../stores/database.ts";

/**
 * The pages of a database file and its write-ahead log, as the last commit left them; whatever else is broken. Either may
 * be missing, and parts of either may be on a worn disk that gives them back no more.
 */
export interface Pages {
  readonly sizeBytes: number;
  /** The first being 1; null where there is none of that number, or none that can be read. */
  read(number: number): Buffer | null;
  readonly count: number;
  close(): void;
}

/** Where the file format has things (sqlite.org/fileformat2.html, "The Database Header" and "The WAL File Format"). */
const PAGE_SIZE_AT = 16;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const BIG_ENDIAN_SUMS = 0x377f0683;
/** What SQLite makes by default, and so for a file that has lost its beginning. */
const USUAL_PAGE_BYTES = 4_096;

/** Throws the system's errors where one of the files is there and cannot be opened. */
export function openPages(path: string): Pages {
  const log = readLog(`${path}-wal`);
  const file = existsSync(path) ? openSync(path, "r") : null;
  const sizeBytes = log?.sizeBytes ?? (file === null ? USUAL_PAGE_BYTES : pageSizeOf(file));
  let count = file === null ? 0 : Math.floor(fstatSync(file).size / sizeBytes);
  for (const number of log?.pages.keys() ?? []) count = Math.max(count, number);
  return {
    sizeBytes,
    count,
    read(number) {
      const logged = log?.pages.get(number);
      if (logged !== undefined) return logged;
      if (file === null) return null;
      const page = bytesAt(file, (number - 1) * sizeBytes, sizeBytes);
      return page.length === sizeBytes ? page : null;
    },
    close() {
      if (file !== null) closeSync(file);
    },
  };
}

function pageSizeOf(file: number): number {
  const header = bytesAt(file, 0, PAGE_SIZE_AT + 2);
  const told = header.length < PAGE_SIZE_AT + 2 ? 0 : header.readUInt16BE(PAGE_SIZE_AT);
  return told >= 512 && (told & (told - 1)) === 0 ? told : USUAL_PAGE_BYTES;
}

/** What can be read there: less at the file's end, and nothing where the disk gives none of it back. */
function bytesAt(file: number, at: number, sizeBytes: number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, sizeBytes, at));
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return bytes.subarray(0, 0);
  }
}

/** The newest of each page in a log, up to its last whole commit; null where there is no log to be read. */
function readLog(path: string): { readonly sizeBytes: number; readonly pages: ReadonlyMap<number, Buffer> } | null {
  const log = beginningOf(path);
  if (log.length < LOG_HEADER_BYTES) return null;
  const sizeBytes = log.readUInt32BE(8);
  const summed = summer(log.readUInt32BE(0) === BIG_ENDIAN_SUMS);
  let sum = summed(log.subarray(0, 24), [0, 0]);
  if (!isSum(sum, log, 24)) return null;
  const pages = new Map<number, Buffer>();
  let uncommitted: [number, Buffer][] = [];
  const frameBytes = FRAME_HEADER_BYTES + sizeBytes;
  for (let at = LOG_HEADER_BYTES; at + frameBytes <= log.length; at += frameBytes) {
    const page = log.subarray(at + FRAME_HEADER_BYTES, at + frameBytes);
    sum = summed(page, summed(log.subarray(at, at + 8), sum));
    // Beyond the last frame of this log are those of an older one: they have other salts.
    if (log.compare(log, 16, 24, at + 8, at + 16) !== 0 || !isSum(sum, log, at + 16)) break;
    uncommitted.push([log.readUInt32BE(at), page]);
    const isCommit = log.readUInt32BE(at + 4) !== 0;
    if (!isCommit) continue;
    for (const [number, committed] of uncommitted) pages.set(number, committed);
    uncommitted = [];
  }
  return { sizeBytes, pages };
}

type Sum = readonly [number, number];

/** Two running sums over pairs of 32-bit words, as the log has them after its header and after each frame. */
function summer(bigEndian: boolean): (bytes: Buffer, from: Sum) => Sum {
  return (bytes, [first, second]) => {
    let [one, other] = [first, second];
    for (let at = 0; at + 8 <= bytes.length; at += 8) {
      one = (one + (bigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at)) + other) >>> 0;
      other = (other + (bigEndian ? bytes.readUInt32BE(at + 4) : bytes.readUInt32LE(at + 4)) + one) >>> 0;
    }
    return [one, other];
  };
}

function isSum([one, other]: Sum, log: Buffer, at: number): boolean {
  return log.readUInt32BE(at) === one && log.readUInt32BE(at + 4) === other;
}

/** A disk gives back so many bytes or none. */
const SECTORS_BYTES = 4_096;

/** A file up to the first part that cannot be read: of a log nothing is known beyond a frame that is missing. */
function beginningOf(path: string): Buffer {
  if (!existsSync(path)) return Buffer.alloc(0);
  const file = openSync(path, "r");
  try {
    const parts: Buffer[] = [];
    for (let at = 0; ; at += SECTORS_BYTES) {
      const part = bytesAt(file, at, SECTORS_BYTES);
      parts.push(part);
      if (part.length < SECTORS_BYTES) return Buffer.concat(parts);
    }
  } finally {
    closeSync(file);
  }
}

/** A row of a table, read from its bytes: its id and its columns in their order. */
export interface RawRow {
  readonly id: number;
  readonly values: readonly (string | number | null)[];
}

/** How the file format marks a page that holds rows (sqlite.org/fileformat2.html, "B-tree Pages"). */
const TABLE_LEAF = 0x0d;
/** A row of ours is never longer; more is nonsense that looks like a row. */
const LONGEST_ROW_BYTES = 64 * 1024;
/** The first page begins with the file's header. */
const FILE_HEADER_BYTES = 100;

/** All rows that stand on a page, whichever table they are of; what cannot be read is left out. */
export function* rowsOn(number: number, pages: Pages): Generator<RawRow> {
  const page = pages.read(number);
  const start = number === 1 ? FILE_HEADER_BYTES : 0;
  if (page === null || page[start] !== TABLE_LEAF) return;
  const cells = page.readUInt16BE(start + 3);
  for (let cell = 0; cell < cells && start + 10 + 2 * cell <= page.length; cell++) {
    const row = rowAt(page, page.readUInt16BE(start + 8 + 2 * cell), pages);
    if (row !== null) yield row;
  }
}

function rowAt(page: Buffer, at: number, pages: Pages): RawRow | null {
  try {
    const size = varint(page, at);
    const id = varint(page, size.next);
    if (size.value > LONGEST_ROW_BYTES) return null;
    return { id: id.value, values: valuesOf(payloadOf(page, id.next, size.value, pages)) };
  } catch (error) {
    // Bytes that lead beyond their page.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** A row that does not fit its page goes on in others, each of which names the next. */
function payloadOf(page: Buffer, at: number, sizeBytes: number, pages: Pages): Buffer {
  const usable = pages.sizeBytes;
  if (sizeBytes <= usable - 35) return within(page, at, sizeBytes);
  const least = Math.floor(((usable - 12) * 32) / 255) - 23;
  const wished = least + ((sizeBytes - least) % (usable - 4));
  const local = wished <= usable - 35 ? wished : least;
  const parts = [within(page, at, local)];
  let next = page.readUInt32BE(at + local);
  for (let left = sizeBytes - local; left > 0; ) {
    const more = pages.read(next);
    if (more === null) throw new RangeError("a page is missing");
    parts.push(within(more, 4, Math.min(left, usable - 4)));
    left -= usable - 4;
    next = more.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

function valuesOf(payload: Buffer): (string | number | null)[] {
  const header = varint(payload, 0);
  const values: (string | number | null)[] = [];
  let at = header.value;
  for (let next = header.next; next < header.value; ) {
    const type = varint(payload, next);
    next = type.next;
    const sizeBytes = sizeOf(type.value);
    values.push(scalarOf(type.value, within(payload, at, sizeBytes)));
    at += sizeBytes;
  }
  return values;
}

const NUMBER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0] as const;

function sizeOf(type: number): number {
  return NUMBER_BYTES[type] ?? (type - 12) >> 1;
}

/** Blobs, of which we have none, are null. */
function scalarOf(type: number, bytes: Buffer): string | number | null {
  if (type >= 12) return type % 2 === 1 ? bytes.toString("utf8") : null;
  if (type === 7) return bytes.readDoubleBE(0);
  if (type === 6) return Number(bytes.readBigInt64BE(0));
  if (type >= 8) return type - 8;
  return bytes.length === 0 ? null : bytes.readIntBE(0, bytes.length);
}

/** Seven bits a byte, the highest first, for as long as the top bit is set; ids and sizes of ours need few. */
function varint(bytes: Buffer, at: number): { readonly value: number; readonly next: number } {
  let value = 0;
  for (let length = 0; length < 8; length++) {
    const byte = bytes.readUInt8(at + length);
    value = value * 128 + (byte & 0x7f);
    if (byte < 0x80) return { value, next: at + length + 1 };
  }
  throw new RangeError("a number of nine bytes");
}

function within(bytes: Buffer, at: number, sizeBytes: number): Buffer {
  if (sizeBytes < 0 || at + sizeBytes > bytes.length) throw new RangeError("beyond the end");
  return bytes.subarray(at, at + sizeBytes);
}
