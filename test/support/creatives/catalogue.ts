import { readFileSync } from "node:fs";
import { z } from "zod";

const catalogueSchema = z.object({
  palette: z.record(z.string(), z.string()),
  beat: z.array(z.string()),
  creatives: z.array(
    z.object({
      name: z.string(),
      file: z.string(),
      mimeType: z.string(),
      width: z.number(),
      height: z.number(),
      framesPerSecond: z.number().nullable(),
      code: z.array(z.string()),
      strip: z.object({ column: z.number(), row: z.number() }),
      /** The cell that changes when a page is told that it is on air. */
      hook: z.object({ column: z.number(), row: z.number(), before: z.string(), after: z.string() }).optional(),
    }),
  ),
});

/** The sample creatives and how each is recognised on a screen (`assets/creatives/README.md`). */
export type Catalogue = z.infer<typeof catalogueSchema>;
export type Creative = Catalogue["creatives"][number];

export function readCatalogue(): Catalogue {
  const path = new URL("../../../assets/creatives/creatives.json", import.meta.url);
  return catalogueSchema.parse(JSON.parse(readFileSync(path, "utf8")));
}
