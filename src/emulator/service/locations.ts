import type { OpenAPIHono } from "@hono/zod-openapi";
import { locationSchema } from "../../wire/inventory.ts";
import { locationChangeSchema, locationCreationSchema } from "../../wire/inventory-requests.ts";
import { type Env, refusal } from "../http/answers.ts";
import { addLocation, changeLocation } from "../inventory/locations.ts";
import type { Network } from "../network.ts";
import { callersOrganization, creationAnswer, unauthorized, unknownObject } from "./answers.ts";
import { sentObject } from "./body.ts";
import { addEndpoint, type Endpoint } from "./endpoint.ts";

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
export function addLocations(app: OpenAPIHono<Env>, network: Network): void {
  addEndpoint(app, createLocation, async (c) => {
    const sent = await sentObject(c, network, locationCreationSchema);
    if (sent.kind === "refused") return sent.answer;
    const organization = callersOrganization(c, network);
    if (organization === undefined) return unauthorized(c);
    const creation = addLocation(network, organization, sent.value);
    return creationAnswer(c, network, creation, "location", ({ location_id }) => ({ location_id }));
  });
  addEndpoint(app, getLocation, (c) => {
    const id = c.req.param("location_id") ?? "";
    const location = callersOrganization(c, network)?.locations.get(id);
    return location === undefined ? unknownObject(c, "location", id) : c.json(location, 200);
  });
  addEndpoint(app, updateLocation, async (c) => {
    const id = c.req.param("location_id") ?? "";
    if (!callersOrganization(c, network)?.locations.has(id)) return unknownObject(c, "location", id);
    const sent = await sentObject(c, network, locationChangeSchema);
    if (sent.kind === "refused") return sent.answer;
    // Looked up again: a call that came while the body did may have changed it (A18).
    const organization = callersOrganization(c, network);
    const stored = organization?.locations.get(id);
    if (organization === undefined || stored === undefined) return unknownObject(c, "location", id);
    const ruling = changeLocation(network, organization, stored, sent.value);
    return ruling.kind === "ruled" ? c.json(ruling.value, 200) : refusal(c, ruling);
  });
}
