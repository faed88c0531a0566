import { crc32, deflateSync } from "node:zlib";

/** Adam7 (PNG, 8.2): where each pass begins and how far its pixels lie apart, across and down. */
const PASSES: readonly (readonly [x: number, y: number, across: number, down: number])[] = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
];

/** An interlaced PNG of pixels that have four bytes each. */
export function interlacedPng(width: number, height: number, rgba: Buffer): Buffer {
  const rows: Buffer[] = [];
  for (const [left, top, across, down] of PASSES) {
    for (let y = top; y < height; y += down) {
      const row: Buffer[] = [Buffer.from([0])];
      for (let x = left; x < width; x += across) row.push(rgba.subarray((y * width + x) * 4, (y * width + x) * 4 + 4));
      if (row.length > 1) rows.push(Buffer.concat(row));
    }
  }
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 6, 0, 0, 1]);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  const image = deflateSync(Buffer.concat(rows));
  return Buffer.concat([SIGNATURE, chunk("IHDR", head), chunk("IDAT", image), chunk("IEND", Buffer.alloc(0))]);
}

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, "latin1"), body]);
  const out = Buffer.alloc(named.length + 8);
  out.writeUInt32BE(body.length, 0);
  named.copy(out, 4);
  out.writeUInt32BE(crc32(named), named.length + 4);
  return out;
}
