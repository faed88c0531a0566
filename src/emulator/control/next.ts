import type { Hono } from "hono";
import { z } from "zod";
import type { FieldError } from "../../wire/errors.ts";
import { type Env, problem } from "../http/answers.ts";
import { type Network, screenKey } from "../network.ts";
import { type PlannedSpot, plannedSpotSchema } from "../spot/planned.ts";
import { screensCalled } from "../world/inventory.ts";
import { sentBody } from "./body.ts";

/** The most spots that wait for one screen: more than four days of them at one every 15 s are a mistake. */
export const MOST_PLANNED = 25_000;

const bodySchema = z.strictObject({ spots: z.array(plannedSpotSchema).max(MOST_PLANNED) });

/** What became of spots that were to be next on a screen. */
export type Planning =
  | { readonly kind: "planned"; readonly waiting: number }
  | { readonly kind: "unknown-screen" }
  | { readonly kind: "ambiguous-screen" }
  | { readonly kind: "too-many" }
  | { readonly kind: "unknown-creative"; readonly errors: readonly FieldError[] };

/** Puts spots after those that wait for a screen already; all of them or, when something is wrong, none. */
export function planNext({ state }: Network, screenId: string, spots: readonly PlannedSpot[]): Planning {
  const [owned, ...others] = screensCalled(state.inventory, screenId);
  if (owned === undefined) return { kind: "unknown-screen" };
  if (others.length > 0) return { kind: "ambiguous-screen" };
  const errors = spots.flatMap((spot, index) => unknownCreatives(spot, `spots[${index}]`, state.inventory.creatives));
  if (errors.length > 0) return { kind: "unknown-creative", errors };
  const key = screenKey(owned.organization.orgToken, screenId);
  const waiting = state.planned.get(key) ?? [];
  if (waiting.length + spots.length > MOST_PLANNED) return { kind: "too-many" };
  state.planned.set(key, [...waiting, ...spots]);
  return { kind: "planned", waiting: waiting.length + spots.length };
}

/** Adds telling what a screen gets next. */
export function addNext(app: Hono<Env>, network: Network): void {
  app.post("/control/screens/:screen_id/next", async (c) => {
    const screenId = c.req.param("screen_id");
    const sent = await sentBody(c, bodySchema);
    if (sent.kind === "refused") return sent.answer;
    const planning = planNext(network, screenId, sent.value.spots);
    switch (planning.kind) {
      case "planned":
        return c.json({ waiting: planning.waiting }, 200);
      case "unknown-screen":
        return problem(c, 404, "unknown_screen", `there is no screen ${screenId}`);
      case "ambiguous-screen":
        return problem(c, 409, "ambiguous_screen", `several organizations have a screen ${screenId}`);
      case "too-many":
        return problem(c, 409, "too_many_spots", `at most ${MOST_PLANNED} spots can wait for a screen`);
      case "unknown-creative":
        return problem(c, 422, "unknown_creative", "a spot names a creative that is not there", planning.errors);
    }
  });
}

function unknownCreatives(spot: PlannedSpot, path: string, known: ReadonlyMap<string, unknown>): FieldError[] {
  return (["news", "ad"] as const).flatMap((kind) => {
    const named = spot[kind];
    if (typeof named !== "string" || known.has(named)) return [];
    return [{ field: `${path}.${kind}`, message: `there is no creative ${named}` }];
  });
}
