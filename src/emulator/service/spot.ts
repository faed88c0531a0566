import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { z } from "zod";
import { spotAnswerSchema } from "../../wire/spot.ts";
import { type Env, problem } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { issueSpot } from "../spot/issue.ts";
import { errorAnswer, openApiPath } from "./openapi.ts";

const getSpot = createRoute({
  method: "get",
  path: openApiPath("spot"),
  summary: "A single creative set for a single playout",
  request: { params: z.object({ org_token: z.string(), screen_id: z.string() }) },
  responses: {
    200: { description: "The spot", content: { "application/json": { schema: spotAnswerSchema } } },
    401: errorAnswer("The organization token is missing or not valid"),
    404: errorAnswer("The organization has no such screen"),
    429: errorAnswer("Too many requests; Retry-After says when to try again"),
  },
});

/** Adds "Get Spot" to the service (contract, "Real-time content"; F1-F7). */
export function addSpot(app: OpenAPIHono<Env>, network: Network): void {
  app.openapi(getSpot, (c) => {
    const { org_token, screen_id } = c.req.valid("param");
    const organization = network.state.inventory.organizations.get(org_token);
    const screen = organization?.screens.get(screen_id);
    if (organization === undefined || screen === undefined) {
      return problem(c, 404, "unknown_screen", `the organization has no screen ${screen_id}`);
    }
    return c.json(issueSpot(network, { organization, screen }), 200);
  });
}
