/** From the type of a track header (ISO 14496-12, 8.3.2, version 0) to its matrix. */
const MATRIX_AT = 44;
/** A quarter turn clockwise in fixed point: the last of each row has 30 bits after the point, the others 16. */
const QUARTER_TURN = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000] as const;

/** An MP4 whose picture is turned when it is shown, as a telephone that was held upright writes it. */
export function turnClip(mp4: Buffer): Buffer {
  const header = mp4.indexOf("tkhd");
  if (header < 0) throw new Error("an MP4 without a track header");
  const out = Buffer.from(mp4);
  for (const [index, value] of QUARTER_TURN.entries()) out.writeInt32BE(value, header + MATRIX_AT + index * 4);
  return out;
}
