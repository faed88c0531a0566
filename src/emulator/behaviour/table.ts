import { approvals, spots } from "./approvals-and-spots.ts";
import { locations, screens, venueTypes } from "./inventory.ts";
import { type Behaviour, switches } from "./switches.ts";

/** The table for the docs. */
export function behaviourTable(): string {
  const rows = behaviours.map((row) => {
    return [row.id, row.topic, row.contract, row.answer, switchCell(row)].map(escaped).join(" | ");
  });
  const head = ["| # | Point | The contract | The emulator | Switch |", "|---|---|---|---|---|"];
  return [...head, ...rows.map((row) => `| ${row} |`), ""].join("\n");
}

function switchCell({ switch: name }: Behaviour): string {
  if (name === undefined) return "";
  const { default: usual, alternatives } = switches[name];
  return `\`${name}\`: **${usual}**, ${alternatives.join(", ")}`;
}

function escaped(cell: string): string {
  return cell.replaceAll("|", "\\|");
}

/** Section A: what holds for every endpoint. */
const wholeSurface: readonly Behaviour[] = [
  {
    id: "A1",
    topic: "Error body",
    contract: "The error body shape: not shown.",
    answer:
      '`application/json`: `{"detail":"…","code":"…","status":400,"title":"Bad Request","errors":[{"field":"…","message":"…"}]}`, with `errors` only for field problems. It is also an RFC 9457 body.',
  },
  {
    id: "A2",
    topic: "Reading errors",
    contract: "The error body shape: not shown.",
    answer: "The status alone says it all. Clients must not need the body, which elsewhere may be HTML or empty.",
  },
  {
    id: "A3",
    topic: "Success statuses",
    contract: "Success status codes of every endpoint, response bodies of create and update: not shown.",
    answer:
      "Create: 201, the whole object and a `Location` header. Update, get, reject, spot: 200. Proof of play: 200 and `{}`.",
    switch: "createStatus",
  },
  {
    id: "A4",
    topic: "Missing token",
    contract: "An invalid or missing org_token on the reject operation yields 401.",
    answer: "401 on every path, `/vendor//locations` included: never the router's 404.",
  },
  {
    id: "A5",
    topic: "Invalid token on the other endpoints",
    contract: "An invalid or missing org_token on the reject operation yields 401.",
    answer: "401 on every endpoint, the spot's included.",
    switch: "spotBadToken",
  },
  {
    id: "A6",
    topic: "Another organization's object",
    contract: "A CAR the organization does not own yields 404 on reject.",
    answer: "404 for every kind of object.",
  },
  {
    id: "A7",
    topic: "Broken rules",
    contract: "The error returned when a rule is violated: not shown.",
    answer:
      "400: wrong type, missing field, out of range, wrong length, unknown code, impossible status. 422: a location's venue type not on level 2, a screen's outside its location's, an unknown `location_id` in a body, `status=REVIEW` with fields missing.",
  },
  {
    id: "A8",
    topic: "Unreadable bodies",
    contract: "Bodies are JSON and requests that carry a body use the header Content-Type: application/json.",
    answer: "Not JSON, not an object, or no body: 400. Another content type: 415.",
  },
  {
    id: "A9",
    topic: "Unknown and read-only fields in a request",
    contract: "Not shown.",
    answer: "Ignored, with a warning in the journal.",
    switch: "unknownFields",
  },
  {
    id: "A10",
    topic: "Unknown fields in an answer",
    contract: "Any further fields of item: not shown.",
    answer: "None are sent, except in spots that were planned so. Clients ignore them.",
  },
  {
    id: "A11",
    topic: "Absent or null",
    contract: "Returns the object with all fields populated.",
    answer: "Every key is there; what is not known is `null`.",
  },
  {
    id: "A12",
    topic: "`null` in an update",
    contract: "All fields optional; only the fields sent are changed.",
    answer: "Clears `email`, `phone`, `amount` and `imps_weekly`; 400 for the others.",
  },
  {
    id: "A13",
    topic: "Update with `{}`",
    contract: "All fields optional; only the fields sent are changed.",
    answer: "200, and nothing changes.",
  },
  {
    id: "A14",
    topic: "Rate limits",
    contract: "Rate limiting exists (429 on reject), but its thresholds and scope: not shown.",
    answer:
      "429 with `Retry-After` in whole seconds, decided before any work. None unless the world's `rateLimits` sets some, for each token, screen or route.",
  },
  {
    id: "A15",
    topic: "Unknown path, wrong method",
    contract: "Endpoints to list Locations, Screens or CARs, to delete, or to approve a CAR: not shown.",
    answer: "404, or 405 with `Allow`. Listing and approving are on the control API.",
  },
  {
    id: "A16",
    topic: "Timestamps",
    contract: "ISO 8601 timestamp.",
    answer: "In UTC, with milliseconds and `Z`.",
  },
  {
    id: "A17",
    topic: "Identifiers",
    contract: "Client-chosen identifier on create (optional; assigned automatically when omitted).",
    answer:
      "1 to 64 of `A-Z a-z 0-9 _ . -`, and neither `.` nor `..`, else 400 in a body and 404 in a path. Made-up ones have a prefix (`loc_…`, `car_…`), request ids are UUIDs of version 4, all from the seed. Unique within an organization.",
  },
  {
    id: "A18",
    topic: "Concurrent updates",
    contract: "Not shown.",
    answer: "The last write wins, field by field.",
  },
  {
    id: "A19",
    topic: "Caching",
    contract: "The player pre-caches the content.",
    answer:
      "`no-store` on spots, proofs and the inventory; ETag and Range on media; venue types may be kept for 24 hours.",
  },
  { id: "A20", topic: "Body limit", contract: "Not shown.", answer: "1 MiB, beyond it 413." },
  {
    id: "A21",
    topic: "Other version segments",
    contract:
      "The spot endpoint carries the version segment v3; the segment 1 after the token is a fixed path element.",
    answer: "404 for `/v2/…` and `…/2/rt_ad/…`.",
  },
];

/** Everything that the contract leaves open and what the emulator does, from A1 to F21. */
export const behaviours: readonly Behaviour[] = [
  ...wholeSurface,
  ...locations,
  ...screens,
  ...venueTypes,
  ...approvals,
  ...spots,
];
