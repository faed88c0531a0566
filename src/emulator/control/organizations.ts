import type { Hono } from "hono";
import { z } from "zod";
import { identifierSchema } from "../../wire/inventory.ts";
import { type Env, problem } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { newOrganization, type Organization } from "../world/inventory.ts";
import { MOST_ENTRIES } from "../world/schema.ts";
import { sentBody } from "./body.ts";

const additionSchema = z.strictObject({ org_token: identifierSchema });

/** Adds listing organizations, adding one, and revoking one together with everything that it owns. */
export function addOrganizations(app: Hono<Env>, network: Network): void {
  const organizations = () => network.state.inventory.organizations;
  app.get("/control/organizations", (c) => c.json([...organizations().values()].map(account)));
  app.post("/control/organizations", async (c) => {
    const sent = await sentBody(c, additionSchema);
    if (sent.kind === "refused") return sent.answer;
    const { org_token } = sent.value;
    if (organizations().has(org_token)) return problem(c, 409, "already_exists", `${org_token} is there already`);
    if (organizations().size >= MOST_ENTRIES)
      return problem(c, 409, "too_many", `at most ${MOST_ENTRIES} organizations`);
    const added = newOrganization(org_token);
    organizations().set(org_token, added);
    return c.json(account(added), 201);
  });
  app.delete("/control/organizations/:org_token", (c) => {
    const orgToken = c.req.param("org_token");
    const revoked = organizations().get(orgToken);
    if (revoked === undefined) return problem(c, 404, "unknown_organization", `there is no organization ${orgToken}`);
    organizations().delete(orgToken);
    return c.json(account(revoked));
  });
}

function account({ orgToken, locations, screens, approvals }: Organization) {
  return { org_token: orgToken, locations: locations.size, screens: screens.size, cars: approvals.size };
}
