import { z } from "zod";

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
