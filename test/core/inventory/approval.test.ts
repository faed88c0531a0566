import { describe, expect, it } from "vitest";
import {
  approveApproval,
  type DecidedApproval,
  lacksMessage,
  rejectApproval,
} from "../../../src/core/inventory/approval.ts";

const PENDING: DecidedApproval = { status: "pending", rejection_reasons: null, custom_message: null };

describe("rejecting a CAR", () => {
  it("keeps each reason once, and the message", () => {
    const rejected = rejectApproval(PENDING, { reasons: ["FILTER", "CUSTOM", "FILTER"], message: "Too loud" });

    expect(rejected).toEqual({
      kind: "accepted",
      value: { status: "rejected", rejection_reasons: ["FILTER", "CUSTOM"], custom_message: "Too loud" },
    });
  });

  it.each(["approved", "rejected"] as const)(
    "is impossible once it is %s, with or without a message (E1)",
    (status) => {
      const decided: DecidedApproval = { ...PENDING, status };

      expect(rejectApproval(decided, { reasons: ["CUSTOM"], message: null })).toMatchObject({ kind: "conflict" });
      expect(approveApproval(decided)).toMatchObject({ kind: "conflict" });
    },
  );

  it.each([null, "", " \n\t"])("needs a message with CUSTOM, which %j is not (E3)", (message) => {
    expect(lacksMessage({ reasons: ["CUSTOM"], message })).toBe(true);
    expect(rejectApproval(PENDING, { reasons: ["CUSTOM"], message })).toMatchObject({ kind: "unprocessable" });
    expect(lacksMessage({ reasons: ["FILTER"], message })).toBe(false);
  });

  it("leaves what was stored as it is", () => {
    rejectApproval(PENDING, { reasons: ["FILTER"], message: null });
    approveApproval(PENDING);

    expect(PENDING.status).toBe("pending");
  });
});
