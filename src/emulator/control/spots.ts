import type { Hono } from "hono";
import { z } from "zod";
import { violations } from "../audit/audit.ts";
import { type Env, problem, refusal } from "../http/answers.ts";
import { sentBody, sentQuery } from "../http/body.ts";
import type { Network } from "../network.ts";
import { MOST_PLANNED, planNext, plannedSpotSchema } from "../spot/planned.ts";
import { spotsJson } from "../spot/told-spots.ts";

/** Whose spots are read. */
export const spotsQuerySchema = z.strictObject({ org_token: z.string().optional(), screen_id: z.string().optional() });

/** Whose screen, where several organizations have one of that id. */
export const nextQuerySchema = z.strictObject({ org_token: z.string().optional() });
/** What a screen is to get next. */
export const nextSchema = z.strictObject({ spots: z.array(plannedSpotSchema).max(MOST_PLANNED) });

/** Adds reading the ledger, and what the auditor has to say about it. */
export function addSpots(app: Hono<Env>, network: Network): void {
  app.get("/control/spots", (c) => {
    const sent = sentQuery(c, spotsQuerySchema);
    if (sent.kind === "refused") return sent.answer;
    const { org_token: orgToken, screen_id: screenId } = sent.value;
    return c.json(spotsJson(network.state, network.clock.now(), { orgToken, screenId }));
  });
  app.get("/control/audit", (c) => c.json(violations(network)));
}

/** Adds telling what a screen gets next. */
export function addNext(app: Hono<Env>, network: Network): void {
  app.post("/control/screens/:screen_id/next", async (c) => {
    const screenId = c.req.param("screen_id");
    const query = sentQuery(c, nextQuerySchema);
    if (query.kind === "refused") return query.answer;
    const sent = await sentBody(c, nextSchema);
    if (sent.kind === "refused") return sent.answer;
    const planning = planNext(network, { screenId, orgToken: query.value.org_token }, sent.value.spots);
    switch (planning.kind) {
      case "planned":
        return c.json({ waiting: planning.waiting }, 200);
      case "unknown-screen":
        return problem(c, 404, "unknown_screen", `there is no screen ${screenId}`);
      case "ambiguous-screen":
        return problem(
          c,
          409,
          "ambiguous_screen",
          `several organizations have a screen ${screenId}; say which with ?org_token=`,
        );
      case "too-many":
        return problem(c, 409, "too_many_spots", `at most ${MOST_PLANNED} spots can wait for a screen`);
      case "unknown-creative":
        return refusal(c, { kind: "unprocessable", code: "unknown_creative", complaints: planning.errors });
    }
  });
}
