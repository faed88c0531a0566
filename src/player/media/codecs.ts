import { type FileHandle, open } from "node:fs/promises";

/**
 * The codecs of the tracks of an MP4 or WebM file, in words that people know ("HEVC") and as the file has it where it is
 * a rare one; none where it is neither, or cut off. For a clip that cannot be decoded: only the heads of boxes are read.
 */
export async function codecsIn(path: string): Promise<readonly string[]> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const head = await read(file, 0, EBML_ID.length);
    const whole = { from: 0, to: size };
    const codecs = head.equals(EBML_ID) ? await codecsOfWebm(file, whole) : await codecsOfMp4(file, whole);
    return [...new Set(codecs)];
  } finally {
    await file.close();
  }
}

/** Names by the four characters of a sample entry (MP4 registration authority) or the codec ID of a Matroska track. */
const NAMES: Readonly<Record<string, string>> = {
  avc1: "H.264",
  avc3: "H.264",
  hvc1: "HEVC",
  hev1: "HEVC",
  dvh1: "HEVC (Dolby Vision)",
  dvhe: "HEVC (Dolby Vision)",
  vvc1: "VVC",
  vvi1: "VVC",
  vp08: "VP8",
  vp09: "VP9",
  av01: "AV1",
  mp4v: "MPEG-4 Visual",
  apcn: "ProRes",
  apch: "ProRes",
  ap4h: "ProRes",
  mp4a: "AAC",
  "ac-3": "AC-3",
  "ec-3": "E-AC-3",
  Opus: "Opus",
  fLaC: "FLAC",
  "V_MPEG4/ISO/AVC": "H.264",
  "V_MPEGH/ISO/HEVC": "HEVC",
  V_VP8: "VP8",
  V_VP9: "VP9",
  V_AV1: "AV1",
  A_OPUS: "Opus",
  A_VORBIS: "Vorbis",
  A_AAC: "AAC",
};

/** How many boxes of a file are looked at; a real clip has some dozens before its tracks, or thousands of fragments. */
const MOST_BOXES = 10_000;
/** No codec ID of Matroska is longer. */
const LONGEST_NAME = 64;

interface Span {
  readonly from: number;
  readonly to: number;
}

interface Box extends Span {
  readonly name: string;
}

/** ISO/IEC 14496-12: the tracks' sample descriptions are in moov/trak/mdia/minf/stbl/stsd. */
const MP4_PATH = ["moov", "trak", "mdia", "minf", "stbl", "stsd"] as const;
/** An stsd begins with its version, its flags and the number of its entries. */
const STSD_HEAD_BYTES = 8;

async function codecsOfMp4(file: FileHandle, whole: Span): Promise<string[]> {
  return search(file, whole, MP4_PATH, mp4Box, async (stsd) => {
    const entry = await mp4Box(file, stsd.from + STSD_HEAD_BYTES, stsd.to);
    return entry === null ? [] : [entry.name];
  });
}

/** RFC 8794 and RFC 9559: Segment, Tracks, TrackEntry, CodecID, by their IDs. */
const WEBM_PATH = ["18538067", "1654ae6b", "ae", "86"] as const;
const EBML_ID = Buffer.from("1a45dfa3", "hex");

async function codecsOfWebm(file: FileHandle, whole: Span): Promise<string[]> {
  return search(file, whole, WEBM_PATH, webmElement, async ({ from, to }) => {
    const codecId = await read(file, from, Math.min(to - from, LONGEST_NAME));
    return [codecId.toString("latin1").replace(/\0+$/, "")];
  });
}

/** Follows a path of names through boxes in boxes, and tells what is at its ends. */
async function search(
  file: FileHandle,
  whole: Span,
  path: readonly string[],
  boxAt: (file: FileHandle, at: number, end: number) => Promise<Box | null>,
  namesIn: (box: Box) => Promise<readonly string[]>,
): Promise<string[]> {
  const found: string[] = [];
  let left = MOST_BOXES;
  const look = async ({ from, to }: Span, depth: number): Promise<void> => {
    for (let at = from; at < to && left > 0; left--) {
      const box = await boxAt(file, at, to);
      if (box === null) return;
      if (box.name === path[depth]) {
        if (depth < path.length - 1) await look(box, depth + 1);
        else found.push(...(await namesIn(box)).map((name) => NAMES[name] ?? name));
        // What tells of the tracks comes once; behind it is the media itself.
        if (depth === 0 && found.length > 0) return;
      }
      at = box.to;
    }
  };
  await look(whole, 0);
  return found;
}

async function mp4Box(file: FileHandle, at: number, end: number): Promise<Box | null> {
  const head = await read(file, at, Math.min(16, end - at));
  if (head.length < 8) return null;
  const name = head.toString("latin1", 4, 8);
  const short = head.readUInt32BE(0);
  // 1: the size is in the next 8 bytes; 0: to the end of the file.
  const large = short === 1 && head.length === 16;
  const sizeBytes = large ? Number(head.readBigUInt64BE(8)) : short === 0 ? end - at : short;
  const headBytes = large ? 16 : 8;
  return sizeBytes < headBytes ? null : { name, from: at + headBytes, to: Math.min(at + sizeBytes, end) };
}

async function webmElement(file: FileHandle, at: number, end: number): Promise<Box | null> {
  const head = await read(file, at, Math.min(12, end - at));
  const idBytes = lengthOfNumber(head[0], 4);
  const sizeLength = idBytes === null ? null : lengthOfNumber(head[idBytes], 8);
  if (idBytes === null || sizeLength === null || head.length < idBytes + sizeLength) return null;
  let sizeBytes = (head[idBytes] ?? 0) & (0xff >> sizeLength);
  let unknown = sizeBytes === 0xff >> sizeLength;
  for (const byte of head.subarray(idBytes + 1, idBytes + sizeLength)) {
    sizeBytes = sizeBytes * 256 + byte;
    unknown &&= byte === 0xff;
  }
  const from = at + idBytes + sizeLength;
  // One of unknown size, as in a recording of a live stream, goes on to the end.
  return { name: head.toString("hex", 0, idBytes), from, to: unknown ? end : Math.min(from + sizeBytes, end) };
}

/** RFC 8794 section 4: the zero bits before the first one tell the length of a number, itself included. */
function lengthOfNumber(first: number | undefined, most: number): number | null {
  if (first === undefined) return null;
  const length = Math.clz32(first) - 23;
  return length <= most ? length : null;
}

/** Fewer bytes, or none, where a box ends before what should be in it. */
async function read(file: FileHandle, at: number, wantedBytes: number): Promise<Buffer> {
  const sizeBytes = Math.max(0, wantedBytes);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(sizeBytes), 0, sizeBytes, at);
  return buffer.subarray(0, bytesRead);
}
