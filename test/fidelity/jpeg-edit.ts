import type { JpegEdit } from "./media.ts";

/** Puts a mark or a colour profile into a JPEG, right after its beginning, where readers look for it. */
export function editJpeg(jpeg: Buffer, edit: JpegEdit): Buffer {
  const [start, rest] = [jpeg.subarray(0, 2), jpeg.subarray(2)];
  switch (edit.kind) {
    case "orientation":
      return Buffer.concat([start, segment(0xe1, exifOf(edit.orientation)), rest]);
    case "swapped-profile":
      return Buffer.concat([start, segment(0xe2, Buffer.concat([ICC_MARK, swappedProfile()])), rest]);
  }
}

function segment(marker: number, body: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([head, body]);
}

/** EXIF 2.3: a TIFF header and one directory with one entry, the orientation (tag 0x0112, a short). */
function exifOf(orientation: number): Buffer {
  const tiff = Buffer.alloc(26);
  tiff.write("MM\0*", 0, "latin1");
  tiff.writeUInt32BE(8, 4);
  tiff.writeUInt16BE(1, 8);
  tiff.writeUInt16BE(0x0112, 10);
  tiff.writeUInt16BE(3, 12);
  tiff.writeUInt32BE(1, 14);
  tiff.writeUInt16BE(orientation, 18);
  return Buffer.concat([Buffer.from("Exif\0\0", "latin1"), tiff]);
}

/** The first chunk of one. */
const ICC_MARK = Buffer.from("ICC_PROFILE\0\x01\x01", "latin1");

/** The primaries of sRGB, adapted to D50, as X, Y, Z. */
const RED = [0.4361, 0.2225, 0.0139] as const;
const GREEN = [0.3851, 0.7169, 0.0971] as const;
const BLUE = [0.1431, 0.0606, 0.7141] as const;
const WHITE = [0.9642, 1, 0.8249] as const;
const GAMMA = 2.2;

/** ICC.1:2001-04, a display profile by matrix and gamma. Red and green are swapped: who ignores it shows other colours. */
function swappedProfile(): Buffer {
  const gamma = curve(GAMMA);
  const tags: readonly (readonly [string, Buffer])[] = [
    ["desc", description("swapped")],
    ["cprt", Buffer.from("text\0\0\0\0none\0\0\0\0", "latin1")],
    ["wtpt", xyz(WHITE)],
    ["rXYZ", xyz(GREEN)],
    ["gXYZ", xyz(RED)],
    ["bXYZ", xyz(BLUE)],
    ["rTRC", gamma],
    ["gTRC", gamma],
    ["bTRC", gamma],
  ];
  const table = Buffer.alloc(4 + tags.length * 12);
  table.writeUInt32BE(tags.length, 0);
  let at = HEADER_BYTES + table.length;
  tags.forEach(([name, body], index) => {
    table.write(name, 4 + index * 12, "latin1");
    table.writeUInt32BE(at, 8 + index * 12);
    table.writeUInt32BE(body.length, 12 + index * 12);
    at += body.length;
  });
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32BE(at, 0);
  header.writeUInt32BE(0x02100000, 8);
  header.write("mntrRGB XYZ ", 12, "latin1");
  header.write("acsp", 36, "latin1");
  xyz(WHITE).copy(header, 68, 8);
  return Buffer.concat([header, table, ...tags.map(([, body]) => body)]);
}

const HEADER_BYTES = 128;

function xyz(values: readonly [number, number, number]): Buffer {
  const out = Buffer.alloc(20);
  out.write("XYZ ", 0, "latin1");
  for (const [index, value] of values.entries()) out.writeInt32BE(Math.round(value * 65536), 8 + index * 4);
  return out;
}

function curve(gamma: number): Buffer {
  const out = Buffer.alloc(16);
  out.write("curv", 0, "latin1");
  out.writeUInt32BE(1, 8);
  out.writeUInt16BE(Math.round(gamma * 256), 12);
  return out;
}

/** A text in ASCII, and empty ones in the two other scripts that a description may have. */
function description(text: string): Buffer {
  const out = Buffer.alloc(Math.ceil((12 + text.length + 1 + 8 + 3 + 67) / 4) * 4);
  out.write("desc", 0, "latin1");
  out.writeUInt32BE(text.length + 1, 8);
  out.write(text, 12, "latin1");
  return out;
}
