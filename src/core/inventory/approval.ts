import { accepted, type RuleResult, refused } from "./rule-result.ts";

/** Where a creative approval request (CAR) stands (contract, "CAR status"). */
export type ApprovalStatus = "pending" | "approved" | "rejected";

/** Why a creative is rejected; `CUSTOM` needs a message. */
export type RejectionReason = "ADVERTISER" | "INAPPROPRIATE" | "FILTER" | "CUSTOM";

/** What the rules look at in an approval, under the contract's names. */
export interface DecidedApproval {
  readonly status: ApprovalStatus;
  readonly rejection_reasons: readonly RejectionReason[] | null;
  readonly custom_message: string | null;
}

export interface Rejection {
  readonly reasons: readonly RejectionReason[];
  readonly message: string | null;
}

/** Whether a rejection lacks the message that `CUSTOM` needs; blanks alone are none (E3). */
export function lacksMessage({ reasons, message }: Rejection): boolean {
  return reasons.includes("CUSTOM") && (message ?? "").trim() === "";
}

/** An approval after its rejection: only a pending one, checked first; a reason counts once (E1-E4). */
export function rejectApproval<A extends DecidedApproval>(approval: A, rejection: Rejection): RuleResult<A> {
  if (approval.status !== "pending") {
    return refused("conflict", "already_decided", "status", `the creative is ${approval.status} already`);
  }
  if (lacksMessage(rejection)) {
    return refused("unprocessable", "message_required", "custom_message", "is required with the reason CUSTOM");
  }
  const rejection_reasons = [...new Set(rejection.reasons)];
  return accepted({ ...approval, status: "rejected", rejection_reasons, custom_message: rejection.message });
}

/** An approval once the operator has approved it: only a pending one (E5). */
export function approveApproval<A extends DecidedApproval>(approval: A): RuleResult<A> {
  if (approval.status !== "pending") {
    return refused("conflict", "already_decided", "status", `the creative is ${approval.status} already`);
  }
  return accepted({ ...approval, status: "approved" });
}
