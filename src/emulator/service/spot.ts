import type { OpenAPIHono } from "@hono/zod-openapi";
import { spotAnswerSchema } from "../../wire/spot.ts";
import type { Env } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { issueSpot } from "../spot/issue.ts";
import { callersOrganization, unknownObject } from "./answers.ts";
import { addEndpoint, type Endpoint } from "./endpoint.ts";

const getSpot: Endpoint = {
  route: "spot",
  method: "get",
  summary: "Get a single creative set for a single playout",
  answer: spotAnswerSchema,
  errors: [404],
};

/** Adds "Get Spot" to the service (contract, "Real-time content"; F1-F7). */
export function addSpot(app: OpenAPIHono<Env>, network: Network): void {
  addEndpoint(app, getSpot, (c) => {
    const id = c.req.param("screen_id") ?? "";
    const organization = callersOrganization(c, network);
    const screen = organization?.screens.get(id);
    if (organization === undefined || screen === undefined) return unknownObject(c, "screen", id);
    return c.json(issueSpot(network, { organization, screen }), 200);
  });
}
