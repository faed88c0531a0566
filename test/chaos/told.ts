import { z } from "zod";

const kind = z.enum(["news", "ad"]);

/** What the player tells of what it does. `at`: wall clock, epoch milliseconds. */
export const toldSchema = z.discriminatedUnion("what", [
  z.object({ what: z.literal("started") }),
  /** A file was given to the stage, and was as its name says. */
  z.object({ what: z.literal("cued"), whole: z.boolean() }),
  /** The first frame of an item was presented. */
  z.object({ what: z.literal("painted"), requestId: z.string(), kind, at: z.number(), durationMs: z.number() }),
  /** An item had been shown in full, and its proof was committed. */
  z.object({ what: z.literal("shown"), requestId: z.string(), kind }),
]);

export type Told = z.infer<typeof toldSchema>;
