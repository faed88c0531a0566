import { createReadStream } from "node:fs";
import type { FailureReason, Playout } from "../../core/spot.ts";
import { codecsIn } from "../../player/media/codecs.ts";
import type { Media } from "../../player/media/media.ts";
import { codeOf } from "../../player/stores/database.ts";

/**
 * Why a deck cannot be shown, and what there is to say about it: of a clip, by which codec it was made (F24). A picture or clip
 * of which the disk no longer gives all bytes is not to blame.
 */
export async function loadFailure(
  { item }: Pick<Playout, "item">,
  { path }: Pick<Media, "path">,
  error: unknown,
): Promise<[FailureReason, string]> {
  if (item.form === "html") return ["load-failed", String(error)];
  const code = await readingFlaw(path);
  if (code !== null) return ["unfetchable", `its file cannot be read any more (${code})`];
  if (item.form === "image") return ["undecodable", String(error)];
  const codecs = await codecsIn(path).catch(() => []);
  return ["undecodable", codecs.length === 0 ? String(error) : `${codecs.join(", ")}: ${error}`];
}

/** The system's code for what keeps a file from being read to its end, or null. */
async function readingFlaw(path: string): Promise<string | null> {
  try {
    for await (const _ of createReadStream(path));
    return null;
  } catch (error) {
    return codeOf(error) ?? String(error);
  }
}
