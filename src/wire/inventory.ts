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
const venueTypeSchema = z.object({
  label: z.string(),
  id: z.string(),
  parent_id: z.string().nullable(),
  level: z.union([z.literal(1), z.literal(2), z.literal(3)]),
  selectable: z.boolean(),
  description: z.string().nullable(),
});

export const venueTypesSchema = z.array(venueTypeSchema);

/** Where a creative approval request stands (contract, "Creative approval request"). */
export const approvalStatusSchema = z.enum(["pending", "approved", "rejected"]);
export type ApprovalStatus = z.infer<typeof approvalStatusSchema>;

/** Why a creative is rejected; `CUSTOM` needs a message. */
export const rejectionReasonSchema = z.enum(["ADVERTISER", "INAPPROPRIATE", "FILTER", "CUSTOM"]);
export type RejectionReason = z.infer<typeof rejectionReasonSchema>;

/** The creative of a request; `duration` in milliseconds (E6), `size` in bytes, unknown is `null` (A11). */
export const approvalItemSchema = z.object({
  url: z.string(),
  title: z.string(),
  width: z.int().positive(),
  height: z.int().positive(),
  duration: z.int().positive(),
  mimeType: z.string(),
  size: z.int().nonnegative().nullable(),
  md5: z.string().nullable(),
});
export type ApprovalItem = z.infer<typeof approvalItemSchema>;

/** A request as "Get a CAR" returns it. */
export const approvalSchema = z.object({
  car_id: z.string(),
  status: approvalStatusSchema,
  advertiser_name: z.string(),
  cities: z.array(z.string()),
  countries: z.array(z.string()),
  item: approvalItemSchema,
  rejection_reasons: z.array(rejectionReasonSchema).nullable(),
  custom_message: z.string().nullable(),
  created_on: z.string(),
});

/** What "Reject a CAR" sends. A message that is missing where `CUSTOM` needs one is the rules' affair (E1, E3). */
export const rejectionSchema = z.object({
  rejection_reasons: z.array(rejectionReasonSchema).min(1),
  custom_message: z.string().nullable().optional(),
});

/** What "Reject a CAR" returns: the same request under other names. */
export const rejectedApprovalSchema = z.object({
  id: z.string(),
  status: z.literal("rejected"),
  advertiser_name: z.string(),
  campaign_name: z.string(),
  rejection_reasons: z.array(rejectionReasonSchema),
  custom_message: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
});

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
