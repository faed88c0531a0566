import { z } from "zod";

/** A venue type as the service lists it (contract, "Venue type"). */
export const venueTypeSchema = z.object({
  label: z.string(),
  id: z.string(),
  parent_id: z.string().nullable(),
  level: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  selectable: z.boolean(),
  description: z.string().nullable(),
});

export const venueTypesSchema = z.array(venueTypeSchema);
