import { z } from "zod";
import { identifierSchema, locationSchema, locationStatusSchema, screenSchema } from "./inventory.ts";

const { venue_type_id, lat, long, opening_168, visitors_7, archived, email, phone } = locationSchema.shape;
const { width, height, loop_duration, amount, imps_weekly } = screenSchema.shape;

/** Not empty and not blanks only (B2). */
const title = z.string().refine((text) => text.trim() !== "", "must not be blank");

/** What "Create a Location" sends (contract, "Locations"). `null` stands for absent where it can be cleared (A12). */
export const locationCreationSchema = z.object({
  location_id: identifierSchema.optional(),
  title,
  venue_type_id: venue_type_id.unwrap().optional(),
  lat: lat.unwrap().optional(),
  long: long.unwrap().optional(),
  opening_168: opening_168.unwrap().optional(),
  visitors_7: visitors_7.unwrap().optional(),
  archived: archived.default(false),
  email: email.optional(),
  phone: phone.optional(),
});

/** What "Update a Location" sends: any of these; `null` clears email and phone (A12). */
export const locationChangeSchema = z.object({
  title: title.optional(),
  venue_type_id: venue_type_id.unwrap().optional(),
  lat: lat.unwrap().optional(),
  long: long.unwrap().optional(),
  opening_168: opening_168.unwrap().optional(),
  visitors_7: visitors_7.unwrap().optional(),
  status: locationStatusSchema.optional(),
  available_for_ads: z.boolean().optional(),
  archived: archived.optional(),
  email: email.optional(),
  phone: phone.optional(),
});

/** What "Create a Screen" sends (contract, "Screens"). */
export const screenCreationSchema = z.object({
  screen_id: identifierSchema,
  title,
  venue_type_id: z.string(),
  location_id: z.string(),
  width,
  height,
  loop_duration,
  archived: z.boolean().default(false),
  available_for_ads: z.boolean().default(true),
  amount: amount.optional(),
  imps_weekly: imps_weekly.optional(),
});

/** What "Update a Screen" sends: any of these; `null` clears amount and imps_weekly (A12). */
export const screenChangeSchema = z.object({
  title: title.optional(),
  venue_type_id: z.string().optional(),
  location_id: z.string().optional(),
  width: width.optional(),
  height: height.optional(),
  loop_duration: loop_duration.optional(),
  archived: z.boolean().optional(),
  available_for_ads: z.boolean().optional(),
  amount: amount.optional(),
  imps_weekly: imps_weekly.optional(),
});

/** A creation as it was received, defaults filled in; what a client sends is `NewLocation`. */
export type ReceivedLocation = z.infer<typeof locationCreationSchema>;
export type LocationChange = z.infer<typeof locationChangeSchema>;
/** As `ReceivedLocation`; what a client sends is `NewScreen`. */
export type ReceivedScreen = z.infer<typeof screenCreationSchema>;
export type ScreenChange = z.infer<typeof screenChangeSchema>;
