import { z } from "zod";

/**
 * A content item that is written out in full, as the spot endpoint would send it but without its `pop`. The values are
 * taken as they come and further members are kept, so that malformed items can be sent too (F16, F18).
 */
export const wholeItemSchema = z.looseObject({
  id: z.string(),
  title: z.string(),
  mimeType: z.string(),
  width: z.number(),
  height: z.number(),
  duration: z.number(),
  url: z.string().min(1),
  newsType: z.string().optional(),
});
export type WholeItem = z.infer<typeof wholeItemSchema>;

const plannedItemSchema = z.union([z.null(), z.string(), wholeItemSchema], {
  error: "must be null, the name of a creative, or a whole content item without pop",
});
export type PlannedItem = z.infer<typeof plannedItemSchema>;

/** A spot that a screen is to get next. What is left out is as the rotation would have it; `null` is none. */
export const plannedSpotSchema = z.strictObject({
  newsFirst: z.boolean().optional(),
  billable: z.boolean().optional(),
  news: plannedItemSchema.optional(),
  ad: plannedItemSchema.optional(),
});
export type PlannedSpot = z.infer<typeof plannedSpotSchema>;
