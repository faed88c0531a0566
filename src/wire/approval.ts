import { z } from "zod";

/** Where a creative approval request stands (contract, "Creative approval request"). */
export const approvalStatusSchema = z.enum(["pending", "approved", "rejected"]);
export type ApprovalStatus = z.infer<typeof approvalStatusSchema>;

/** Why a creative is rejected; `CUSTOM` needs a message. */
export const rejectionReasonSchema = z.enum(["ADVERTISER", "INAPPROPRIATE", "FILTER", "CUSTOM"]);
export type RejectionReason = z.infer<typeof rejectionReasonSchema>;
