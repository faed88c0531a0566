import type { Behaviour } from "./row.ts";

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
