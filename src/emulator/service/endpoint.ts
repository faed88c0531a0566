import type { Context, Hono } from "hono";
import type { z } from "zod";
import { type Route, routes, urlOf } from "../../wire/routes.ts";
import { type Answerer, type Env, json, problem, refusal } from "../http/answers.ts";
import { fitting, readJson, type Sent, sentText } from "../http/body.ts";
import type { DescribedCall } from "../http/description.ts";
import type { Organization } from "../inventory/inventory.ts";
import type { Creation } from "../inventory/locations-and-screens.ts";
import type { Network } from "../network.ts";
import { MOST_ENTRIES } from "../world/schema.ts";

/** One endpoint of the contract, as it is described at `/openapi.json`; `body` is the very schema that reads requests. */
export interface Endpoint {
  /** What generated clients call it. */
  readonly id: string;
  readonly route: Route;
  readonly method: "get" | "post";
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType;
  /** Whether it creates something: answered 201, or 200 behind a switch (A3). */
  readonly creates?: boolean;
  /** The statuses of its error answers beside those that every endpoint has. */
  readonly errors: readonly (keyof typeof ERRORS)[];
}

/** The most ignored fields that one call is noted with. */
const MOST_NOTED = 20;

/** Adds an endpoint with what answers it. */
export type AddEndpoint = (endpoint: Endpoint, answerer: Answerer) => void;

/** Adds an endpoint to the service. */
export function addEndpoint(app: Hono<Env>, { method, route }: Endpoint, answerer: Answerer): void {
  app.on(method.toUpperCase(), routes[route], answerer);
}

/** An endpoint as it is described. */
export function described({ route, creates, errors, ...endpoint }: Endpoint): DescribedCall {
  return {
    ...endpoint,
    path: routes[route].replace(/:(\w+)/g, "{$1}"),
    tag: TAGS[route],
    statuses: creates ? [200, 201] : [200],
    errors: Object.fromEntries(([...errors, 401, 429] as const).map((status) => [status, ERRORS[status]])),
  };
}

/** What each route is about. */
const TAGS: Readonly<Record<Route, string>> = {
  spot: "spots",
  locations: "locations",
  location: "locations",
  screens: "screens",
  screen: "screens",
  venueTypes: "venue types",
  approval: "creative approval requests",
  rejectApproval: "creative approval requests",
};

/** Reads the JSON object that came with a request; what the contract does not name is noted or refused (A7-A9). */
export async function sentObject<S extends z.ZodObject>(
  c: Context<Env>,
  network: Network,
  schema: S,
): Promise<Sent<z.infer<S>>> {
  const type = c.req.header("content-type");
  if (type !== undefined && !isJson(type)) return notJson(c);
  const text = await sentText(c);
  if (text.kind === "refused") return text;
  if (text.value.trim() === "") return refusedBody(c, "no_body", "a JSON object is expected");
  if (type === undefined) return notJson(c);
  const sent = readJson(c, text.value);
  if (sent.kind === "refused") return sent;
  if (!isObject(sent.value)) return refusedBody(c, "not_an_object", "the body is not a JSON object");
  const strangers = Object.keys(sent.value).filter((field) => !Object.hasOwn(schema.shape, field));
  if (strangers.length > 0 && network.state.switches.unknownFields === "reject") return unknownFields(c, strangers);
  c.get("note").warnings.push(...strangers.slice(0, MOST_NOTED).map((field) => `ignored field ${shortened(field)}`));
  return fitting(c, sent.value, schema) as Sent<z.infer<S>>;
}

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
    case "conflict":
    case "unprocessable":
      return refusal(c, creation);
    case "accepted":
      c.get("note").head.location = urlOf(network.basePath ?? "", route, {
        org_token: c.req.param("org_token") ?? "",
        ...parameters(creation.value),
      });
      return json(c, creation.value, network.state.switches.createStatus);
  }
}

const ERRORS = {
  400: "A field is wrong or missing, or the request contradicts the state",
  401: "The organization token is missing or not valid",
  404: "The organization has no such object",
  409: "The identifier is taken",
  413: "The body has more than 1 MiB",
  415: "The body is not sent as application/json",
  422: "A rule that spans several fields or objects is broken",
  429: "Too many requests; Retry-After says when to try again",
} as const;

function isJson(contentType: string): boolean {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notJson(c: Context<Env>): Sent<never> {
  const detail = "the body is to be sent as application/json";
  return { kind: "refused", answer: problem(c, 415, "unsupported_media_type", detail) };
}

function refusedBody(c: Context<Env>, code: string, detail: string): Sent<never> {
  return { kind: "refused", answer: problem(c, 400, code, detail) };
}

function unknownFields(c: Context<Env>, fields: readonly string[]): Sent<never> {
  const errors = fields.slice(0, MOST_NOTED).map((field) => {
    return { field: shortened(field), message: "is not known or cannot be written" };
  });
  const detail = `not known or not writable: ${errors.map(({ field }) => field).join(", ")}`;
  return { kind: "refused", answer: problem(c, 400, "unknown_field", detail, errors) };
}

function shortened(field: string): string {
  return field.slice(0, 64);
}
