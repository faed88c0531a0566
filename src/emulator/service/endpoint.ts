import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Handler } from "hono";
import { z } from "zod";
import { errorSchema } from "../../wire/errors.ts";
import { type Route, routes } from "../../wire/routes.ts";
import type { Env } from "../http/answers.ts";

/** One endpoint of the contract, as it is described at `/openapi.json`; `body` is the very schema that reads requests. */
export interface Endpoint {
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

/** Adds an endpoint to the service and to its description. */
export function addEndpoint(app: OpenAPIHono<Env>, endpoint: Endpoint, answer: Handler<Env>): void {
  const { method, route, summary, body } = endpoint;
  const parameters = [...routes[route].matchAll(/:(\w+)/g)].map(([, name = ""]) => [name, z.string()]);
  app.openAPIRegistry.registerPath({
    method,
    path: routes[route].replace(/:(\w+)/g, "{$1}"),
    summary,
    request: {
      params: z.object(Object.fromEntries(parameters)),
      ...(body === undefined ? {} : { body: { required: true, content: { "application/json": { schema: body } } } }),
    },
    responses: answersOf(endpoint),
  });
  app.on(method.toUpperCase(), routes[route], answer);
}

function answersOf({ answer, creates, errors }: Endpoint) {
  const good = { description: "What was asked for, or changed", content: { "application/json": { schema: answer } } };
  const problems = [...errors, 401, 429] as const;
  const described = problems.map((status) => {
    return [status, { description: ERRORS[status], content: { "application/json": { schema: errorSchema } } }];
  });
  return { ...Object.fromEntries(described), ...(creates ? { 201: good } : {}), 200: good };
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
