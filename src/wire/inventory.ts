import { z } from "zod";

/** What names a location, a screen or an organization: 1 to 64 of letters, digits, `_`, `.` and `-`, no dot segment (A17). */
export const identifierSchema = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,64}$/, "must be 1 to 64 of A-Z a-z 0-9 _ . -, and neither . nor ..");

/** The review status of a location (contract, "States and transitions"). */
export const locationStatusSchema = z.enum(["DRAFT", "REVIEW", "APPROVED"]);
export type LocationStatus = z.infer<typeof locationStatusSchema>;

/** A location as the service returns it: every key present, unknown is `null` (contract, "Location"; A11). */
export const locationSchema = z.object({
  location_id: identifierSchema,
  title: z.string(),
  venue_type_id: z.string().nullable(),
  lat: z.number().min(-90).max(90).nullable(),
  long: z.number().min(-180).max(180).nullable(),
  opening_168: z.array(z.boolean()).min(168).max(168).nullable(),
  visitors_7: z.array(z.int().nonnegative()).min(7).max(7).nullable(),
  status: locationStatusSchema,
  available_for_ads: z.boolean(),
  archived: z.boolean(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
  timezone: z.string().nullable(),
  country: z.string().nullable(),
  region: z.string().nullable(),
  city: z.string().nullable(),
  zip: z.string().nullable(),
  address: z.string().nullable(),
});
export type Location = z.infer<typeof locationSchema>;

/** A screen as the service returns it: every key present, unknown is `null` (contract, "Screen"; A11, C6, C7). */
export const screenSchema = z.object({
  screen_id: identifierSchema,
  title: z.string(),
  venue_type_id: z.string(),
  location_id: identifierSchema,
  width: z.int().positive(),
  height: z.int().positive(),
  loop_duration: z.int().positive(),
  archived: z.boolean(),
  available_for_ads: z.boolean(),
  amount: z.int().positive().nullable(),
  imps_weekly: z.int().nonnegative().nullable(),
});
export type Screen = z.infer<typeof screenSchema>;

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
