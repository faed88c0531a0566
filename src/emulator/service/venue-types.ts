import type { OpenAPIHono } from "@hono/zod-openapi";
import { venueTypesSchema } from "../../wire/venue-type.ts";
import type { Env } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { addEndpoint, type Endpoint } from "./endpoint.ts";

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
export function addVenueTypes(app: OpenAPIHono<Env>, { tree }: Network): void {
  const list = [...tree.values()];
  addEndpoint(app, listVenueTypes, (c) => {
    c.header("cache-control", `private, max-age=${FRESH_SECONDS}`);
    return c.json(list, 200);
  });
}
