import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";

/** The pages of a database file and its write-ahead log, as the last commit left them; whatever else is broken. */
export interface Pages {
  readonly sizeBytes: number;
  /** The first being 1; null where there is none of that number. */
  read(number: number): Buffer | null;
  count(): number;
  close(): void;
}

/** Where the file format has things (sqlite.org/fileformat2.html, "The Database Header" and "The WAL File Format"). */
const PAGE_SIZE_AT = 16;
const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const BIG_ENDIAN_SUMS = 0x377f0683;
/** What SQLite makes unless told otherwise, and so for a file that has lost its beginning. */
const USUAL_PAGE_BYTES = 4_096;

export function openPages(path: string): Pages {
  const file = openSync(path, "r");
  const log = readLog(`${path}-wal`);
  const sizeBytes = log?.sizeBytes ?? pageSizeOf(file);
  const own = Math.floor(fstatSync(file).size / sizeBytes);
  return {
    sizeBytes,
    count: () => Math.max(own, ...(log?.pages.keys() ?? [])),
    read(number) {
      const logged = log?.pages.get(number);
      if (logged !== undefined) return logged;
      const page = Buffer.alloc(sizeBytes);
      return readSync(file, page, 0, sizeBytes, (number - 1) * sizeBytes) === sizeBytes ? page : null;
    },
    close: () => closeSync(file),
  };
}

function pageSizeOf(file: number): number {
  const header = Buffer.alloc(PAGE_SIZE_AT + 2);
  readSync(file, header, 0, header.length, 0);
  const told = header.readUInt16BE(PAGE_SIZE_AT);
  return told >= 512 && (told & (told - 1)) === 0 ? told : USUAL_PAGE_BYTES;
}

/** The newest of each page in a log, up to its last whole commit; null where there is no log to be read. */
function readLog(path: string): { readonly sizeBytes: number; readonly pages: ReadonlyMap<number, Buffer> } | null {
  const log = bytesOf(path);
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

function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
