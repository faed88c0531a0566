import { createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { openPromise } from "yauzl";

/** Unpacks into `folder` each file that `target` names a place for (`null` leaves it out), with its permissions. */
export async function unzip(
  archive: string,
  folder: string,
  target: (name: string) => string | null,
  progress: (bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const zip = await openPromise(archive);
  let bytes = 0;
  for await (const entry of zip.eachEntry()) {
    const place = entry.fileName.endsWith("/") ? null : target(entry.fileName);
    if (place === null) continue;
    const path = join(folder, place);
    await mkdir(dirname(path), { recursive: true });
    const mode = (entry.externalFileAttributes >>> 16) & 0o777 || 0o644;
    await pipeline(await zip.openReadStreamPromise(entry), createWriteStream(path, { mode }), { signal });
    bytes += entry.uncompressedSize;
    progress(bytes);
  }
}
