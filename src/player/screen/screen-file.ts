import { createHash } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { HOURS_OF_WEEK } from "../../core/opening-hours.ts";
import { readSmallFile, writeSmallFile } from "../small-file.ts";

const screenFactsSchema = z.object({
  /** The screen's display name, or null until it is known. */
  title: z.string().nullable(),
  opening: z
    .object({ hours: z.array(z.boolean()).min(HOURS_OF_WEEK).max(HOURS_OF_WEEK), timeZone: z.string() })
    .nullable(),
});

/** What the service said of a screen and its location the last time it was asked. */
export type ScreenFacts = Readonly<z.infer<typeof screenFactsSchema>>;

/** Where a screen's facts are kept, so that they survive a restart without the service. Any id makes a plain name. */
export function screenFile(dataDir: string, screenId: string): string {
  const name = createHash("sha256").update(screenId).digest("hex").slice(0, NAME_DIGITS);
  return join(dataDir, `screen-${name}.json`);
}

/** Enough that two screens of one player never share a file. */
const NAME_DIGITS = 16;

/** The facts kept, or `null` where there are none, or none that can be used. */
export function readScreenFacts(path: string): ScreenFacts | null {
  return readSmallFile(path, screenFactsSchema);
}

/** Keeps facts; `false` where the disk does not take them: they are asked for again at the next start. */
export function writeScreenFacts(path: string, facts: ScreenFacts): boolean {
  return writeSmallFile(path, facts);
}
