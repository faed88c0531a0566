import type { OpenAPIHono } from "@hono/zod-openapi";
import { screenSchema } from "../../wire/inventory.ts";
import { screenChangeSchema, screenCreationSchema } from "../../wire/inventory-requests.ts";
import { type Env, refusal } from "../http/answers.ts";
import { addScreen, changeScreen } from "../inventory/screens.ts";
import type { Network } from "../network.ts";
import { callersOrganization, creationAnswer, unauthorized, unknownObject } from "./answers.ts";
import { sentObject } from "./body.ts";
import { addEndpoint, type Endpoint } from "./endpoint.ts";

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
export function addScreens(app: OpenAPIHono<Env>, network: Network): void {
  addEndpoint(app, createScreen, async (c) => {
    const sent = await sentObject(c, network, screenCreationSchema);
    if (sent.kind === "refused") return sent.answer;
    const organization = callersOrganization(c, network);
    if (organization === undefined) return unauthorized(c);
    const creation = addScreen(network, organization, sent.value);
    return creationAnswer(c, network, creation, "screen", ({ screen_id }) => ({ screen_id }));
  });
  addEndpoint(app, getScreen, (c) => {
    const id = c.req.param("screen_id") ?? "";
    const screen = callersOrganization(c, network)?.screens.get(id);
    return screen === undefined ? unknownObject(c, "screen", id) : c.json(screen, 200);
  });
  addEndpoint(app, updateScreen, async (c) => {
    const id = c.req.param("screen_id") ?? "";
    if (!callersOrganization(c, network)?.screens.has(id)) return unknownObject(c, "screen", id);
    const sent = await sentObject(c, network, screenChangeSchema);
    if (sent.kind === "refused") return sent.answer;
    // Looked up again: a call that came while the body did may have changed it (A18).
    const organization = callersOrganization(c, network);
    const stored = organization?.screens.get(id);
    if (organization === undefined || stored === undefined) return unknownObject(c, "screen", id);
    const ruling = changeScreen(network, organization, stored, sent.value);
    return ruling.kind === "ruled" ? c.json(ruling.value, 200) : refusal(c, ruling);
  });
}
