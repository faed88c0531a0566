/** Enough of the beginning of a file to recognise its type. */
export const SNIFF_BYTES = 16;

/**
 * Whether the first bytes of a file can be of the type that the service promised. Servers often send a vague
 * Content-Type, so the bytes decide; HTML has no signature and passes unless it is plainly something else.
 */
export function startsLike(mimeType: string, head: Uint8Array): boolean {
  const actual = sniff(head);
  return mimeType === "text/html" ? actual === null : actual === mimeType;
}

function sniff(head: Uint8Array): string | null {
  const text = String.fromCharCode(...head.subarray(0, SNIFF_BYTES));
  if (text.slice(4, 8) === "ftyp") return "video/mp4";
  if (text.startsWith("\x1a\x45\xdf\xa3")) return "video/webm";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (text.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (text.startsWith("RIFF") && text.slice(8, 12) === "WEBP") return "image/webp";
  return null;
}
