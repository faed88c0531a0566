import {
  approvalSchema,
  locationChangeSchema,
  locationCreationSchema,
  locationSchema,
  rejectedApprovalSchema,
  rejectionSchema,
  screenChangeSchema,
  screenCreationSchema,
  screenSchema,
  venueTypesSchema,
} from "../../wire/inventory.ts";
import { spotAnswerSchema } from "../../wire/spot.ts";
import { json, refusal } from "../http/answers.ts";
import { describeApi } from "../http/description.ts";
import type { Approval } from "../inventory/inventory.ts";
import { addLocation, addScreen, changeLocation, changeScreen } from "../inventory/locations-and-screens.ts";
import { itemOfApproval, rejectIn } from "../inventory/reviews.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import { issueSpot } from "../spot/issue.ts";
import {
  type AddEndpoint,
  callersOrganization,
  creationAnswer,
  described,
  type Endpoint,
  sentObject,
  unauthorized,
  unknownObject,
} from "./endpoint.ts";

const createLocation: Endpoint = {
  id: "createLocation",
  route: "locations",
  method: "post",
  summary: "Create a location",
  body: locationCreationSchema,
  answer: locationSchema,
  creates: true,
  errors: [400, 409, 413, 415, 422],
};

const getLocation: Endpoint = {
  id: "getLocation",
  route: "location",
  method: "get",
  summary: "Get a location",
  answer: locationSchema,
  errors: [404],
};

const updateLocation: Endpoint = {
  id: "updateLocation",
  route: "location",
  method: "post",
  summary: "Update a location",
  body: locationChangeSchema,
  answer: locationSchema,
  errors: [400, 404, 413, 415, 422],
};

/** Adds "Create", "Get" and "Update a Location" to the service (contract, "Locations"; section B). */
export function addLocations(add: AddEndpoint, network: Network): void {
  add(createLocation, async (c) => {
    const sent = await sentObject(c, network, locationCreationSchema);
    if (sent.kind === "refused") return sent.answer;
    const organization = callersOrganization(c, network);
    if (organization === undefined) return unauthorized(c);
    const creation = addLocation(network, organization, sent.value);
    return creationAnswer(c, network, creation, "location", ({ location_id }) => ({ location_id }));
  });
  add(getLocation, (c) => {
    const id = c.req.param("location_id") ?? "";
    const location = callersOrganization(c, network)?.locations.get(id);
    return location === undefined ? unknownObject(c, "location", id) : json(c, location);
  });
  add(updateLocation, async (c) => {
    const id = c.req.param("location_id") ?? "";
    if (!callersOrganization(c, network)?.locations.has(id)) return unknownObject(c, "location", id);
    const sent = await sentObject(c, network, locationChangeSchema);
    if (sent.kind === "refused") return sent.answer;
    // Looked up again: a call that came while the body did may have changed it (A18).
    const organization = callersOrganization(c, network);
    const stored = organization?.locations.get(id);
    if (organization === undefined || stored === undefined) return unknownObject(c, "location", id);
    const result = changeLocation(network, organization, stored, sent.value);
    return result.kind === "accepted" ? json(c, result.value) : refusal(c, result);
  });
}

const createScreen: Endpoint = {
  id: "createScreen",
  route: "screens",
  method: "post",
  summary: "Create a screen",
  body: screenCreationSchema,
  answer: screenSchema,
  creates: true,
  errors: [400, 409, 413, 415, 422],
};

const getScreen: Endpoint = {
  id: "getScreen",
  route: "screen",
  method: "get",
  summary: "Get a screen",
  answer: screenSchema,
  errors: [404],
};

const updateScreen: Endpoint = {
  id: "updateScreen",
  route: "screen",
  method: "post",
  summary: "Update a screen",
  body: screenChangeSchema,
  answer: screenSchema,
  errors: [400, 404, 413, 415, 422],
};

/** Adds "Create", "Get" and "Update a Screen" to the service (contract, "Screens"; section C). */
export function addScreens(add: AddEndpoint, network: Network): void {
  add(createScreen, async (c) => {
    const sent = await sentObject(c, network, screenCreationSchema);
    if (sent.kind === "refused") return sent.answer;
    const organization = callersOrganization(c, network);
    if (organization === undefined) return unauthorized(c);
    const creation = addScreen(network, organization, sent.value);
    return creationAnswer(c, network, creation, "screen", ({ screen_id }) => ({ screen_id }));
  });
  add(getScreen, (c) => {
    const id = c.req.param("screen_id") ?? "";
    const screen = callersOrganization(c, network)?.screens.get(id);
    return screen === undefined ? unknownObject(c, "screen", id) : json(c, screen);
  });
  add(updateScreen, async (c) => {
    const id = c.req.param("screen_id") ?? "";
    if (!callersOrganization(c, network)?.screens.has(id)) return unknownObject(c, "screen", id);
    const sent = await sentObject(c, network, screenChangeSchema);
    if (sent.kind === "refused") return sent.answer;
    // Looked up again: a call that came while the body did may have changed it (A18).
    const organization = callersOrganization(c, network);
    const stored = organization?.screens.get(id);
    if (organization === undefined || stored === undefined) return unknownObject(c, "screen", id);
    const result = changeScreen(network, organization, stored, sent.value);
    return result.kind === "accepted" ? json(c, result.value) : refusal(c, result);
  });
}

const listVenueTypes: Endpoint = {
  id: "listVenueTypes",
  route: "venueTypes",
  method: "get",
  summary: "List venue types",
  answer: venueTypesSchema,
  errors: [],
};

/** How long the list may be kept: it changes with releases of the service (A19). */
const FRESH_SECONDS = 24 * 3_600;

/** Adds "List venue types" to the service (contract, "Venue types"; section D). */
export function addVenueTypes(add: AddEndpoint, { tree }: Network): void {
  const list = [...tree.values()];
  add(listVenueTypes, (c) => {
    c.get("note").head["cache-control"] = `private, max-age=${FRESH_SECONDS}`;
    return json(c, list);
  });
}

const getApproval: Endpoint = {
  id: "getCreativeApprovalRequest",
  route: "approval",
  method: "get",
  summary: "Get a creative approval request",
  answer: approvalSchema,
  errors: [404],
};

const rejectApproval: Endpoint = {
  id: "rejectCreativeApprovalRequest",
  route: "rejectApproval",
  method: "post",
  summary: "Reject a creative approval request",
  body: rejectionSchema,
  answer: rejectedApprovalSchema,
  errors: [400, 404, 413, 415, 422],
};

/** Adds "Get" and "Reject a CAR" to the service (contract, "Creative approval requests"; section E). */
export function addApprovals(add: AddEndpoint, network: Network, files: ReadonlyMap<string, MediaFile>): void {
  add(getApproval, async (c) => {
    const id = c.req.param("car_id") ?? "";
    const approval = callersOrganization(c, network)?.approvals.get(id);
    if (approval === undefined) return unknownObject(c, "CAR", id);
    const { status, advertiser_name, cities, countries, rejection_reasons, custom_message, created_on } = approval;
    const item = await itemOfApproval(network, files, approval);
    const decision = { rejection_reasons, custom_message, created_on };
    return json(c, { car_id: id, status, advertiser_name, cities, countries, item, ...decision });
  });
  add(rejectApproval, async (c) => {
    const id = c.req.param("car_id") ?? "";
    if (!callersOrganization(c, network)?.approvals.has(id)) return unknownObject(c, "CAR", id);
    const sent = await sentObject(c, network, rejectionSchema);
    if (sent.kind === "refused") return sent.answer;
    // Looked up again: a call that came while the body did may have decided it.
    const organization = callersOrganization(c, network);
    const approval = organization?.approvals.get(id);
    if (organization === undefined || approval === undefined) return unknownObject(c, "CAR", id);
    const { rejection_reasons, custom_message = null } = sent.value;
    const result = rejectIn(network, organization, approval, rejection_reasons, custom_message);
    if (result.kind !== "accepted") return refusal(c, result);
    c.get("note").events.push(`the advertiser of CAR ${id} is notified of its rejection`);
    return json(c, rejected(result.value));
  });
}

/** The contract has other names here than where a CAR is read. */
function rejected({ car_id, created_on, updated_on, ...approval }: Approval) {
  const { status, advertiser_name, campaign_name, rejection_reasons, custom_message } = approval;
  const told = { status, advertiser_name, campaign_name, rejection_reasons, custom_message };
  return { id: car_id, ...told, created_at: created_on, updated_at: updated_on };
}

const getSpot: Endpoint = {
  id: "getSpot",
  route: "spot",
  method: "get",
  summary: "Get a single creative set for a single playout",
  answer: spotAnswerSchema,
  errors: [404],
};

/** Adds "Get Spot" to the service (contract, "Real-time content"; F1-F7). */
export function addSpot(add: AddEndpoint, network: Network): void {
  add(getSpot, (c) => {
    const id = c.req.param("screen_id") ?? "";
    const organization = callersOrganization(c, network);
    const screen = organization?.screens.get(id);
    if (organization === undefined || screen === undefined) return unknownObject(c, "screen", id);
    const spot = issueSpot(network, { organization, screen });
    c.get("note").requestId = spot.data.requestId;
    return json(c, spot);
  });
}

/** All endpoints of the contract. */
const endpoints = [
  ...[createLocation, getLocation, updateLocation, createScreen, getScreen, updateScreen],
  ...[listVenueTypes, getApproval, rejectApproval, getSpot],
];

const spot = spotAnswerSchema.shape.data;
/** What is answered. What is sent stands with its call: generated types would insist on fields that have a default. */
const schemas = {
  Location: locationSchema,
  Screen: screenSchema,
  VenueType: venueTypesSchema.element,
  CreativeApprovalRequest: approvalSchema,
  Creative: approvalSchema.shape.item,
  RejectedCreativeApprovalRequest: rejectedApprovalSchema,
  Spot: spot,
  NewsItem: spot.shape.news.unwrap(),
  AdItem: spot.shape.ad.unwrap(),
};

/** The service in OpenAPI 3.1. `url`: where its listener is. */
export function describeService(url: string): object {
  const title = "Screen network vendor interface";
  return describeApi({ title, version: "3", url, calls: endpoints.map(described), schemas });
}
