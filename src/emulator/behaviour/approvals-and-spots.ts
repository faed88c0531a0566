import type { Behaviour } from "./switches.ts";

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

/** Section F: spots and proof of play. */
export const spots: readonly Behaviour[] = [
  {
    id: "F1",
    topic: "No ad, no news",
    contract: "A single creative set: requestId, billable, newsFirst, news, ad.",
    answer: "200 with `ad` or `news` `null`, every other key there, `billable` false without an ad.",
  },
  {
    id: "F2",
    topic: "Unknown or foreign screen",
    contract: "Errors for the other endpoints: not shown.",
    answer: "404.",
  },
  {
    id: "F3",
    topic: "Archived screen; location archived or not APPROVED",
    contract: "Screens can be deployed only on approved Locations.",
    answer: "200 with neither news nor ad.",
  },
  {
    id: "F4",
    topic: "`available_for_ads` false on screen or location",
    contract: "Whether the location can take ad campaigns.",
    answer: "News, and `ad: null`.",
  },
  {
    id: "F5",
    topic: "Outside the opening hours",
    contract: "Hourly opening schedule for one week.",
    answer: "News, and `ad: null`.",
    switch: "openingHours",
  },
  {
    id: "F6",
    topic: "`billable`",
    contract: "Whether the playout is billable.",
    answer: "True only for a paid ad. An ad that is not billable is played and proved all the same.",
  },
  {
    id: "F7",
    topic: "When the hour begins",
    contract: "Within 1 hour of the original spot request.",
    answer: "When the service received the request, on its virtual clock; 3600 s inclusive.",
  },
  {
    id: "F8",
    topic: "Late proof",
    contract: "The response to that call is described by no field list.",
    answer: "410 `pop_expired`, not counted.",
  },
  {
    id: "F9",
    topic: "The same proof again",
    contract: "Not shown.",
    answer: "200, counted once, noted as a duplicate.",
  },
  { id: "F10", topic: "Unknown or altered proof", contract: "Not shown.", answer: "404." },
  {
    id: "F11",
    topic: "What a pop URL looks like",
    contract: "Proof-of-play callback URL called with GET.",
    answer: "An absolute URL on another host than the service's, some with a query, to be sent byte for byte.",
  },
  {
    id: "F12",
    topic: "A proof before its item can have been shown",
    contract: "After a spot is played, the player calls the pop URL.",
    answer: "200, and flagged as early.",
    switch: "earlyPop",
  },
  {
    id: "F13",
    topic: "Asking again before playing",
    contract: "Returns a single creative set for a single playout.",
    answer: "Each answer is a new spot; those that are not played lapse.",
  },
  {
    id: "F14",
    topic: "The same creative in the next spot",
    contract: "Unique id of this request.",
    answer: "The same `id` and `url`, a new request id and new pop URLs.",
  },
  {
    id: "F15",
    topic: "How long a media URL is good for",
    contract: "Where to fetch/render.",
    answer: "As long as the emulator runs, and for an hour without asking again; a query is legal.",
  },
  {
    id: "F16",
    topic: "`md5` and `size` on an item",
    contract: "The content item has neither.",
    answer: "Not sent, except in spots that were planned so.",
  },
  {
    id: "F17",
    topic: "`duration` and the media's own length",
    contract: "integer, milliseconds.",
    answer: "Sent as the world says, whatever the media's length: the player cuts, or holds the last frame.",
  },
  {
    id: "F18",
    topic: "Items that cannot be played",
    contract: "Not shown.",
    answer: "Sent only in spots that were planned so: players are to leave such an item out.",
  },
  {
    id: "F19",
    topic: "How a mimeType is written",
    contract: "An HTML or video type.",
    answer: "As the world says, parameters and upper case included: players compare base types in any case.",
  },
  {
    id: "F20",
    topic: "Items of another shape than the screen",
    contract: "height, width (integer, pixels).",
    answer: "Served to every screen as they are: the player contains them, with black bars.",
  },
  {
    id: "F21",
    topic: "Redirects",
    contract: "Not shown.",
    answer: "The emulator sends none unless a fault says so. Clients follow 5 at most.",
  },
];
