import type { Behaviour } from "./row.ts";

/** Section E: creative approval requests. */
export const approvals: readonly Behaviour[] = [
  {
    id: "E1",
    topic: "Order of the checks on reject",
    contract: "400, 401, 404 and 422, each with its condition.",
    answer: "401, 404, the body's shape 400, already decided 400, CUSTOM without a message 422.",
  },
  {
    id: "E2",
    topic: "No reasons, unknown ones, the same twice",
    contract: "rejection_reasons (string[], required, one or more of ADVERTISER, INAPPROPRIATE, FILTER, CUSTOM).",
    answer: "400 when empty, unknown or no array; a reason that comes twice counts once.",
  },
  {
    id: "E3",
    topic: "A message of blanks only",
    contract: "custom_message: required and non-empty when CUSTOM is among the reasons.",
    answer: "422.",
  },
  {
    id: "E4",
    topic: "A message without CUSTOM",
    contract: "Custom rejection message if provided.",
    answer: "Stored and returned.",
  },
  {
    id: "E5",
    topic: "How a CAR becomes approved",
    contract: "Not shown.",
    answer:
      "On the control API. Or by itself, some time after it came in: the world's `autoApprove.carsMs` (48 virtual hours in the demo world).",
  },
  {
    id: "E6",
    topic: "Unit of `item.duration`",
    contract: "duration (integer).",
    answer: "Milliseconds, as in the spot.",
  },
  {
    id: "E7",
    topic: "A revised creative",
    contract: "The advertiser is notified and can submit a revised creative.",
    answer: "A new CAR with a new id; the rejected one never changes.",
  },
  {
    id: "E8",
    topic: "Notice to the advertiser",
    contract: "Rejecting a CAR notifies the advertiser. Outbound webhooks: not shown.",
    answer: "An event in the journal, no outbound call.",
  },
  {
    id: "E9",
    topic: "CARs and delivery",
    contract: "Not shown.",
    answer: "A creative is served only once its CAR is approved.",
  },
];
