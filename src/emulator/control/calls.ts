import { z } from "zod";
import { switchesSchema } from "../behaviour/switches.ts";
import { clockSettingSchema } from "../clock.ts";
import { faultEntrySchema, faultListSchema, faultSchema } from "../faults/schema.ts";
import {
  additionSchema,
  locationApprovalSchema,
  ofApprovalStatus,
  ofLocationStatus,
  ownerSchema,
  submissionSchema,
} from "./inventory.ts";
import { filterSchema, waitSchema } from "./journal.ts";
import { advanceSchema, whichSchema } from "./settings.ts";
import { nextQuerySchema, nextSchema, spotsQuerySchema } from "./spots.ts";

/** One call of the control API, as index and description tell it; the schemas are the very ones that read requests. */
export interface ControlCall {
  /** As in `POST /control/cars/{id}/approve`. */
  readonly call: `${"GET" | "PUT" | "POST" | "PATCH" | "DELETE"} /control${string}`;
  readonly does: string;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** Whether the body may be left out. */
  readonly isBodyOptional?: true;
  /** What a success answers; JSON of any kind where it is left out. */
  readonly answer?: z.ZodType;
  /** The statuses of a success, 200 alone unless it says otherwise. */
  readonly statuses?: readonly (200 | 201)[];
}

/** What control calls answer, for their description; a test holds the answers against it. Instants are ISO 8601. */
const instant = z.iso.datetime();

const item = z.object({
  id: z.string(),
  url: z.string(),
  media: z.array(z.object({ at: instant, bytes: z.int(), complete: z.boolean() })),
  pops: z.array(
    z.object({
      at: instant,
      status: z.int(),
      verdict: z.enum(["counted", "duplicate", "early", "late", "unknown"]),
    }),
  ),
  failed: z.array(z.object({ at: instant, status: z.int(), fault: z.string() })),
});

const spotsShape = z.array(
  z.object({
    requestId: z.string(),
    org_token: z.string(),
    screen_id: z.string(),
    issued_at: instant,
    newsFirst: z.boolean(),
    billable: z.boolean(),
    news: item.nullable(),
    ad: item.nullable(),
    state: z.enum(["open", "proved", "lapsed"]),
  }),
);

const violationsShape = z.array(
  z.object({
    violation: z.string(),
    at: instant,
    org_token: z.string().nullable(),
    screen_id: z.string().nullable(),
    requestId: z.string().nullable(),
    kind: z.enum(["news", "ad"]).nullable(),
    detail: z.string(),
  }),
);

/** Only what ends by itself says when. */
const faultsShape = z.array(
  faultSchema.required({ name: true }).extend({
    forSeconds: faultSchema.shape.forSeconds.unwrap().unwrap().optional(),
    until: instant.optional(),
    matched: z.int(),
    applied: z.int(),
  }),
);

const clockShape = z.object({ mode: z.enum(["real", "frozen"]), now: instant, speed: z.number() });

const organizationShape = z.object({ org_token: z.string(), locations: z.int(), screens: z.int(), cars: z.int() });
const organizationsShape = z.array(organizationShape);

const forkShape = z.object({
  id: z.string(),
  path: z.string(),
  baseUrl: z.string(),
  mediaUrl: z.string(),
  controlUrl: z.string(),
  opened_at: instant,
});
const forksShape = z.array(forkShape);

const snapshotShape = z.object({ name: z.string(), at: instant, bytes: z.int() });
const snapshotsShape = z.array(snapshotShape);

const statusShape = z.object({ status: z.literal("ok") });
const waitingShape = z.object({ waiting: z.int() });

/** An object of the vendor interface with its owner beside its own members. */
const ownedShape = z.looseObject({ org_token: z.string() });
const ownedListShape = z.array(ownedShape);

const callsShape = z.array(
  z.object({
    id: z.int(),
    at: instant,
    real_at: instant,
    listener: z.enum(["service", "media", "control"]),
    method: z.string(),
    path: z.string(),
    route: z.string().nullable(),
    org_token: z.string().nullable(),
    screen_id: z.string().nullable(),
    requestId: z.string().nullable(),
    status: z.int(),
    ms: z.number(),
    warnings: z.array(z.string()),
    events: z.array(z.string()),
    fault: z.string().nullable(),
    near_miss: z.string().nullable(),
  }),
);

/** What they answer, by the names that generated clients give it. */
export const controlSchemas: Readonly<Record<string, z.ZodType>> = {
  Status: statusShape,
  LedgerSpot: spotsShape.element,
  LedgerItem: item,
  Violation: violationsShape.element,
  FaultInForce: faultsShape.element,
  Clock: clockShape,
  Organization: organizationShape,
  Fork: forkShape,
  Snapshot: snapshotShape,
  OwnedObject: ownedShape,
  JournalledCall: callsShape.element,
};

/** Every call by the name that generated clients give it, in the order in which somebody new would want them. */
export const controlCalls: Readonly<Record<string, ControlCall>> = {
  getIndex: { call: "GET /control", does: "this index" },
  getDescription: { call: "GET /control/openapi.json", does: "the description of these calls, in OpenAPI 3.1" },
  getHealth: { call: "GET /control/health", does: "whether the emulator is up", answer: statusShape },
  getSpots: {
    call: "GET /control/spots",
    does: "the ledger, oldest spot first",
    query: spotsQuerySchema,
    answer: spotsShape,
  },
  setNextSpots: {
    call: "POST /control/screens/{screen_id}/next",
    does: "exactly these spots next on a screen",
    query: nextQuerySchema,
    body: nextSchema,
    answer: waitingShape,
  },
  getAudit: { call: "GET /control/audit", does: "what a network would complain about", answer: violationsShape },
  getFaults: { call: "GET /control/faults", does: "the faults in force, in order", answer: faultsShape },
  getFaultPresets: { call: "GET /control/faults/presets", does: "the presets by name, with their rules" },
  setFaults: {
    call: "PUT /control/faults",
    does: "these faults in place of those there are; rules, or presets by name",
    body: faultListSchema,
    answer: faultsShape,
  },
  addFault: {
    call: "POST /control/faults",
    does: "one more fault, after those there are; a rule, or a preset",
    body: faultEntrySchema,
    answer: faultsShape,
    statuses: [201],
  },
  endFaults: { call: "DELETE /control/faults", does: "ends faults", query: whichSchema, answer: faultsShape },
  getClock: { call: "GET /control/clock", does: "the virtual clock", answer: clockShape },
  setClock: { call: "PUT /control/clock", does: "sets the clock", body: clockSettingSchema, answer: clockShape },
  advanceClock: {
    call: "POST /control/clock/advance",
    does: "moves the clock on",
    body: advanceSchema,
    answer: clockShape,
  },
  reset: { call: "POST /control/reset", does: "back to the world, time and seed of the start", answer: statusShape },
  getLocations: {
    call: "GET /control/locations",
    does: "all locations",
    query: ofLocationStatus,
    answer: ownedListShape,
  },
  approveLocation: {
    call: "POST /control/locations/{id}/approve",
    does: "approves a location in review",
    query: ownerSchema,
    body: locationApprovalSchema,
    isBodyOptional: true,
    answer: ownedShape,
  },
  returnLocation: {
    call: "POST /control/locations/{id}/return",
    does: "sends a location in review back to DRAFT",
    query: ownerSchema,
    answer: ownedShape,
  },
  getScreens: { call: "GET /control/screens", does: "all screens", query: ofLocationStatus, answer: ownedListShape },
  getCars: { call: "GET /control/cars", does: "all CARs", query: ofApprovalStatus, answer: ownedListShape },
  addCar: {
    call: "POST /control/cars",
    does: "a new pending CAR; what is left out is made up",
    body: submissionSchema,
    isBodyOptional: true,
    answer: ownedShape,
    statuses: [201],
  },
  approveCar: {
    call: "POST /control/cars/{id}/approve",
    does: "approves a pending CAR",
    query: ownerSchema,
    answer: ownedShape,
  },
  getOrganizations: { call: "GET /control/organizations", does: "all organizations", answer: organizationsShape },
  addOrganization: {
    call: "POST /control/organizations",
    does: "adds an organization",
    body: additionSchema,
    answer: organizationShape,
    statuses: [201],
  },
  revokeOrganization: {
    call: "DELETE /control/organizations/{org_token}",
    does: "revokes one, with all that it owns",
    answer: organizationShape,
  },
  getJournal: {
    call: "GET /control/journal",
    does: "the calls on every listener",
    query: filterSchema,
    answer: callsShape,
  },
  clearJournal: { call: "DELETE /control/journal", does: "forgets all calls", answer: z.object({ deleted: z.int() }) },
  followJournal: {
    call: "GET /control/journal/stream",
    does: "follows the calls as server-sent events",
    query: filterSchema,
  },
  waitForCalls: {
    call: "GET /control/journal/wait",
    does: "waits until so many calls have come, else 504",
    query: waitSchema,
    answer: callsShape,
  },
  getBehaviour: { call: "GET /control/behaviour", does: "how the emulator reads what the interface leaves open" },
  setBehaviour: { call: "PATCH /control/behaviour", does: "sets some of its switches", body: switchesSchema },
  getSnapshots: { call: "GET /control/snapshots", does: "the snapshots that are kept", answer: snapshotsShape },
  keepSnapshot: {
    call: "PUT /control/snapshots/{name}",
    does: "keeps the whole state by a name; 201 when it is new",
    answer: snapshotShape,
    statuses: [200, 201],
  },
  restoreSnapshot: { call: "POST /control/snapshots/{name}/restore", does: "brings it back", answer: snapshotShape },
  forgetSnapshot: { call: "DELETE /control/snapshots/{name}", does: "forgets a snapshot", answer: snapshotShape },
  getForks: { call: "GET /control/forks", does: "the forks that are open", answer: forksShape },
  openFork: { call: "POST /control/forks", does: "opens a fork of the network", answer: forkShape, statuses: [201] },
  closeFork: { call: "DELETE /control/forks/{id}", does: "closes a fork", answer: forkShape },
};
