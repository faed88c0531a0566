import type { Context } from "hono";
import { type Route, urlOf } from "../../wire/routes.ts";
import { type Env, problem, refusal } from "../http/answers.ts";
import type { Creation } from "../inventory/locations.ts";
import type { Network } from "../network.ts";
import type { Organization } from "../world/inventory.ts";
import { MOST_ENTRIES } from "../world/schema.ts";

/** The organization whose token is in the path; `undefined` when it has been revoked since the call was let in. */
export function callersOrganization(c: Context<Env>, network: Network): Organization | undefined {
  return network.state.inventory.organizations.get(c.req.param("org_token") ?? "");
}

/** Refuses a token (A4, A5). */
export function unauthorized(c: Context<Env>) {
  return problem(c, 401, "unauthorized", "the organization token is missing or not valid");
}

/** Refuses an identifier that names nothing of the caller's (A6). */
export function unknownObject(c: Context<Env>, what: "location" | "screen" | "CAR", id: string) {
  return problem(c, 404, `unknown_${what.toLowerCase()}`, `the organization has no ${what} ${id}`);
}

/** Answers a creation: the whole object with its `Location` (A3, B1, C3). `route`: where the object then is. */
export function creationAnswer<T extends object>(
  c: Context<Env>,
  network: Network,
  creation: Creation<T>,
  route: Route,
  parameters: (value: T) => Readonly<Record<string, string>>,
): Response {
  switch (creation.kind) {
    case "taken":
      return problem(c, 409, "already_exists", "the identifier is taken");
    case "full":
      return problem(c, 409, "too_many", `an organization can have ${MOST_ENTRIES} of these`);
    case "impossible":
    case "unfit":
      return refusal(c, creation);
    case "ruled":
      c.header(
        "location",
        urlOf("", route, { org_token: c.req.param("org_token") ?? "", ...parameters(creation.value) }),
      );
      return c.json(creation.value, network.state.switches.createStatus);
  }
}
