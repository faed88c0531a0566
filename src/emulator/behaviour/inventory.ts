import type { Behaviour } from "./switches.ts";

/** Section B: locations and their review. */
export const locations: readonly Behaviour[] = [
  {
    id: "B1",
    topic: "A `location_id` that is taken",
    contract: "Client-chosen identifier on create.",
    answer: "409 `already_exists`; the stored location stays as it is.",
  },
  { id: "B2", topic: "Blank title", contract: "Display name. Required on create.", answer: "400." },
  {
    id: "B3",
    topic: "When a draft goes to review",
    contract: "All Required-for-Review fields are provided.",
    answer: "Counted over what is stored and what is sent together.",
  },
  {
    id: "B4",
    topic: "`status=REVIEW` with fields missing",
    contract: "DRAFT, update with status=REVIEW, caller sets it: REVIEW.",
    answer: "422 that names them.",
    switch: "reviewWithoutFields",
  },
  {
    id: "B5",
    topic: "`status=REVIEW` when it is no draft",
    contract: "The only client-settable status change is from DRAFT to REVIEW.",
    answer: "In REVIEW: 200, no change. When APPROVED: 400.",
  },
  {
    id: "B6",
    topic: "Any other status",
    contract: "Client cannot set APPROVED. Other moves: not shown.",
    answer: "400 for DRAFT, APPROVED and unknown ones.",
  },
  {
    id: "B7",
    topic: "`status` or `available_for_ads` on create",
    contract: "Writable on update only.",
    answer: "Ignored, with a warning in the journal.",
  },
  {
    id: "B8",
    topic: "Sending the same venue type, lat or long",
    contract: "APPROVED, any of the three changed: REVIEW.",
    answer: "No change, so it stays APPROVED.",
  },
  {
    id: "B9",
    topic: "Default of `available_for_ads`",
    contract: "Whether the location can take ad campaigns.",
    answer: "False until the approval, which sets it true by default.",
  },
  {
    id: "B10",
    topic: "`available_for_ads` in DRAFT or REVIEW",
    contract: "available_for_ads on a Location cannot be set while its status is DRAFT or REVIEW.",
    answer: "400, and the whole update is refused.",
  },
  {
    id: "B11",
    topic: "The same beside a field that sends the location back to REVIEW",
    contract: "available_for_ads on a Location cannot be set while its status is DRAFT or REVIEW.",
    answer: "Judged by the status that would result: 400.",
  },
  {
    id: "B12",
    topic: "`available_for_ads` when APPROVED falls back to REVIEW",
    contract: "Must be re-approved; campaign delivery may be affected.",
    answer: "Kept; the status alone stops delivery.",
  },
  {
    id: "B13",
    topic: "A location's venue type changes under its screens",
    contract: "A screen's must equal the parent Location's venue_type_id or be one of its children.",
    answer: "Allowed. Screens that no longer fit are flagged on the control API and get no ads.",
  },
  {
    id: "B14",
    topic: "Archived location",
    contract: "Default false on create.",
    answer: "Can be read and updated; its screens get empty spots.",
  },
  {
    id: "B15",
    topic: "timezone, country, region, city, zip, address",
    contract: "How these are derived or whether they can be written: not shown.",
    answer: "Read-only. IANA zone and ISO 3166-1 alpha-3 country come from lat and long, the others are `null`.",
  },
  {
    id: "B16",
    topic: "Whose hours opening_168 has",
    contract: "Index 0 is Monday 00:00.",
    answer: "The local wall hours of the location's zone.",
  },
  {
    id: "B17",
    topic: "Numbers as text, 0 and 1 as booleans, negative visitors",
    contract: "number, boolean[168], int[7].",
    answer: "400.",
  },
  { id: "B18", topic: "lat without long", contract: "Required for Review.", answer: "Allowed while it is a draft." },
  {
    id: "B19",
    topic: "Approval",
    contract: "Performed by the service operator, not by the client.",
    answer:
      "On the control API: approve, or return to DRAFT. Or by itself, some time after it came into review: the world's `autoApprove.locationsMs`.",
  },
];

/** Section C: screens. */
export const screens: readonly Behaviour[] = [
  {
    id: "C1",
    topic: "A screen on a location that is not APPROVED",
    contract: "Screens can be deployed only on approved Locations.",
    answer: "201: to be deployed is to be served, so its spots stay empty until then.",
    switch: "screenOnUnapproved",
  },
  {
    id: "C2",
    topic: "Which location a move sends to REVIEW",
    contract: "The Location's status becomes REVIEW even if it was APPROVED.",
    answer: "The new one; the old one stays as it is. The same `location_id` again is no move.",
    switch: "both",
  },
  {
    id: "C3",
    topic: "A `screen_id` that is taken",
    contract: "Client-chosen identifier; required on create.",
    answer: "409 `already_exists`; the stored screen stays as it is.",
  },
  {
    id: "C4",
    topic: "The location has no venue type yet",
    contract: "Must equal the parent Location's venue_type_id or be one of its children.",
    answer: "422.",
  },
  {
    id: "C5",
    topic: "venue_type_id and location_id in one update",
    contract: "venue_type_id must be the same as or a child of the parent Location's.",
    answer: "Judged as the pair that would result.",
  },
  {
    id: "C6",
    topic: "Sizes and counts",
    contract: "integer.",
    answer: "400 for width, height, loop_duration or amount below 1, imps_weekly below 0, and fractions.",
  },
  { id: "C7", topic: "amount and imps_weekly never set", contract: "Optional.", answer: "`null`." },
];

/** Section D: venue types. */
export const venueTypes: readonly Behaviour[] = [
  {
    id: "D1",
    topic: "Which venue types there are",
    contract: "Three-level hierarchy: level 1 is not selectable, levels 2 and 3 are.",
    answer:
      "Those of the public OpenOOH scheme: an id is its number, `parent_id` the id without its last two digits. Another tree with `--venue-types FILE`.",
  },
  {
    id: "D2",
    topic: "Labels",
    contract: "Display name.",
    answer: 'Labels of level 3 repeat across the tree; people are shown "Lobby (Hotels)".',
  },
];
