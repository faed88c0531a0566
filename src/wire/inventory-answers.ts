import { z } from "zod";
import { fieldErrorSchema } from "./errors.ts";
import { approvalStatusSchema, locationSchema, locationStatusSchema, screenSchema } from "./inventory.ts";

/*
 * How a client reads what a service answers: unknown fields are left out (A10), an absent one is as good as null (A11),
 * and what nobody needs in order to go on may be unreadable. The schemas in the other files say what our own service
 * writes, which is narrower.
 */

const text = z.string().nullish().catch(null).transform(orNull);
const flag = (otherwise: boolean) =>
  z
    .boolean()
    .nullish()
    .catch(null)
    .transform((value) => value ?? otherwise);
const { lat, long, opening_168, visitors_7 } = locationSchema.shape;
const { amount, imps_weekly, width, height, loop_duration } = screenSchema.shape;

/** A location as "Get a Location" answers it. */
export const locationAnswerSchema = z.object({
  location_id: z.string(),
  title: text.transform((title) => title ?? ""),
  venue_type_id: text,
  lat: lat.nullish().catch(null).transform(orNull),
  long: long.nullish().catch(null).transform(orNull),
  opening_168: opening_168.nullish().catch(null).transform(orNull),
  visitors_7: visitors_7.nullish().catch(null).transform(orNull),
  status: locationStatusSchema,
  available_for_ads: flag(false),
  archived: flag(false),
  email: text,
  phone: text,
  timezone: text,
  country: text,
  region: text,
  city: text,
  zip: text,
  address: text,
});

/** A screen as "Get a Screen" answers it. */
export const screenAnswerSchema = z.object({
  screen_id: z.string(),
  title: text.transform((title) => title ?? ""),
  venue_type_id: z.string(),
  location_id: z.string(),
  width,
  height,
  loop_duration,
  archived: flag(false),
  available_for_ads: flag(true),
  amount: amount.nullish().catch(null).transform(orNull),
  imps_weekly: imps_weekly.nullish().catch(null).transform(orNull),
});

const number = z.number().nullish().catch(null).transform(orNull);
const names = z
  .array(z.string())
  .nullish()
  .catch(null)
  .transform((list) => list ?? []);

/** Reasons that are not in the contract yet, too: people read them. */
const reasons = z.array(z.string()).nullish().catch(null).transform(orNull);

/** A creative approval request as "Get a CAR" answers it. `duration` is as it was sent (E6). */
export const approvalAnswerSchema = z.object({
  car_id: z.string(),
  status: z.string().toLowerCase().pipe(approvalStatusSchema),
  advertiser_name: text,
  cities: names,
  countries: names,
  item: z
    .object({
      url: z.string(),
      title: text,
      width: number,
      height: number,
      duration: number,
      mimeType: text,
      size: number,
      md5: text,
    })
    .nullish()
    .catch(null)
    .transform(orNull),
  rejection_reasons: reasons,
  custom_message: text,
  created_on: text,
});
export type ApprovalAnswer = z.infer<typeof approvalAnswerSchema>;

/** What "Reject a CAR" answers. */
export const rejectionAnswerSchema = z.object({
  id: z.string(),
  status: approvalStatusSchema,
  advertiser_name: text,
  campaign_name: text,
  rejection_reasons: reasons.transform((told) => told ?? []),
  custom_message: text,
  created_at: text,
  updated_at: text,
});
export type RejectionAnswer = z.infer<typeof rejectionAnswerSchema>;

/** Venue types as they are listed; an entry that is none is left out. */
export const venueTypesAnswerSchema = z.array(
  z
    .object({
      label: z.string(),
      id: z.string(),
      parent_id: text,
      level: z.union([z.literal(1), z.literal(2), z.literal(3)]),
      selectable: z.boolean().nullish().catch(null),
      description: text,
    })
    .transform((type) => ({ ...type, selectable: type.selectable ?? type.level > 1 }))
    .nullable()
    .catch(null),
);

/** What an error's body may say beside its status, which alone decides (A2). */
export const problemSchema = z.object({
  detail: text,
  errors: z
    .array(fieldErrorSchema)
    .nullish()
    .catch(null)
    .transform((errors) => errors ?? []),
});

function orNull<T>(value: T | null | undefined): T | null {
  return value ?? null;
}
