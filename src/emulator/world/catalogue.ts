import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

/** A creative that worlds can name. `url` is absolute or relative to the media listener; `duration` in milliseconds. */
export const creativeSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must be 1 to 64 of a-z 0-9 -"),
  title: z.string().min(1),
  mimeType: z.string().min(1),
  width: z.int().positive(),
  height: z.int().positive(),
  duration: z.int().positive(),
  newsType: z.string().nullable().default(null),
  url: z.string().min(1),
});

/** `flaw`: what is bad about one that is there to try players with; absent in all others. */
export type Creative = z.infer<typeof creativeSchema> & { readonly flaw?: string };

/** Where in the media listener's paths the packaged creatives are. */
export const CREATIVES_PATH = "/creatives/";

/** Reads the list of packaged creatives in a folder, `creatives.json`, good and bad; throws when it is not one. */
export function packagedCreatives(dir: string): Creative[] {
  const list: unknown = JSON.parse(readFileSync(join(dir, "creatives.json"), "utf8"));
  const { creatives, bad } = packagedSchema.parse(list);
  return [...creatives, ...bad].map(({ file, ...creative }) => ({ ...creative, url: CREATIVES_PATH.slice(1) + file }));
}

const packagedCreativeSchema = z.object({
  ...creativeSchema.omit({ url: true }).shape,
  file: z.string().min(1),
});

/** What is there for observers of the screen (codes, beats) is not the emulator's business and left out. */
const packagedSchema = z.object({
  creatives: z.array(packagedCreativeSchema),
  bad: z.array(packagedCreativeSchema.extend({ flaw: z.string().min(1) })),
});
