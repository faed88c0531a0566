import { formOf } from "../spot.ts";

/** Enough of the beginning of a file to recognise its type: an SVG may begin with its editor's name and a licence. */
export const SNIFF_BYTES = 4_096;

const SVG = "image/svg+xml";

/**
 * The type of a file by its first bytes, where it may stand for the one that the service promised, one that can be shown;
 * else `null`. Servers often send a vague Content-Type, and a picture or clip often goes by the name of another: browsers
 * show it all the same, so the bytes decide (F24). HTML has no signature and passes unless it is plainly something else.
 */
export function typeOf(promised: string, head: Uint8Array): string | null {
  const signed = sniff(head);
  if (promised === "text/html") return signed === null ? promised : null;
  const actual = signed ?? (startsLikeSvg(head) ? SVG : null);
  return actual !== null && formOf(actual) === formOf(promised) ? actual : null;
}

function sniff(head: Uint8Array): string | null {
  const text = latin1(head.subarray(0, 16));
  const box = text.slice(4, 8);
  if (box === "ftyp") return typeOfBrands(head);
  if (UNTYPED_BOXES.includes(box) && (head[0] ?? 0) < LEAST_OF_TEXT) return "video/mp4";
  if (text.startsWith("\x1a\x45\xdf\xa3")) return "video/webm";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "image/webp";
  if (text.startsWith("GIF87a") || text.startsWith("GIF89a")) return "image/gif";
  return null;
}

/** What clips begin with that do not tell their type, as older QuickTime and cameras write them (ISO/IEC 14496-12, 4.3). */
const UNTYPED_BOXES: readonly string[] = ["moov", "mdat", "wide", "free", "skip"];
/** No text has a byte below: the first one of a size, up to 144 MiB, tells a box from words like "Get free". */
const LEAST_OF_TEXT = 0x09;

/** Brands of pictures in the same container as MP4 (ISO/IEC 23008-12); which codec they have the other brands tell. */
const PICTURE_BRANDS: readonly string[] = ["mif1", "msf1", "heic", "heix", "heim", "heis", "hevc", "hevx"];

/** ISO/IEC 14496-12: an ftyp box has a major brand, its version, and the brands that it is compatible with. */
function typeOfBrands(head: Uint8Array): string {
  const sizeBytes = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0);
  const box = latin1(head.subarray(0, sizeBytes));
  const brands = [box.slice(8, 12)];
  for (let at = 16; at + 4 <= box.length; at += 4) brands.push(box.slice(at, at + 4));
  if (brands.includes("avif") || brands.includes("avis")) return "image/avif";
  return PICTURE_BRANDS.includes(brands[0] ?? "") ? "image/heic" : "video/mp4";
}

/** Before the root of an SVG there may be a mark of its encoding, a declaration, comments and a document type. */
const BEFORE_SVG = /^(?:\s+|<\?.*?\?>|<!--.*?-->|<!DOCTYPE\s+svg[^[>]*(?:\[.*?\]\s*)?>)/is;
const SVG_ROOT = /^<(?:[\w-]+:)?svg[\s/>]/i;

function startsLikeSvg(head: Uint8Array): boolean {
  const utf16 = [0xfe, 0xff].includes(head[0] ?? 0) && [0xfe, 0xff].includes(head[1] ?? 0);
  // What is asked here is in ASCII: without the zeros between, either order of bytes reads as it.
  const text = utf16 ? latin1(head.subarray(2)).replaceAll("\0", "") : latin1(head).replace(/^\xef\xbb\xbf/, "");
  // One after the other: as one expression they could be told apart in more ways than there is time for.
  for (let rest = text; ; ) {
    const before = BEFORE_SVG.exec(rest)?.[0];
    if (before === undefined) return SVG_ROOT.test(rest);
    rest = rest.slice(before.length);
  }
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
