import {
  locationChangeSchema,
  locationCreationSchema,
  locationSchema,
  screenChangeSchema,
  screenCreationSchema,
  screenSchema,
  venueTypesSchema,
} from "../../wire/inventory.ts";
import { json, refusal } from "../http/answers.ts";
import { addLocation, addScreen, changeLocation, changeScreen } from "../inventory/locations-and-screens.ts";
import type { Network } from "../network.ts";
import {
  type AddEndpoint,
  callersOrganization,
  creationAnswer,
  type Endpoint,
  sentObject,
  unauthorized,
  unknownObject,
} from "./endpoint.ts";

const createLocation: Endpoint = {
  route: "locations",
  method: "post",
  summary: "Create a location",
  body: locationCreationSchema,
  answer: locationSchema,
  creates: true,
  errors: [400, 409, 413, 415, 422],
};

const getLocation: Endpoint = {
  route: "location",
  method: "get",
  summary: "Get a location",
  answer: locationSchema,
  errors: [404],
};

const updateLocation: Endpoint = {
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
  route: "screens",
  method: "post",
  summary: "Create a screen",
  body: screenCreationSchema,
  answer: screenSchema,
  creates: true,
  errors: [400, 409, 413, 415, 422],
};

const getScreen: Endpoint = {
  route: "screen",
  method: "get",
  summary: "Get a screen",
  answer: screenSchema,
  errors: [404],
};

const updateScreen: Endpoint = {
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
