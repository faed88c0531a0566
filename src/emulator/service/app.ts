import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { type RouteMatch, routeAt, routes } from "../../wire/routes.ts";
import { type Env, failed, journalled, methodNotAllowed, notFound, problem } from "../http/answers.ts";
import type { Network } from "../network.ts";
import { overLimit } from "./rate-limit.ts";
import { addSpot } from "./spot.ts";

/** The service: the contract's endpoints at their exact paths and nothing else. */
export function serviceApp(network: Network): OpenAPIHono<Env> {
  const app = new OpenAPIHono<Env>();
  app.use(journalled(network, "service"));
  app.use(async (c, next) => {
    c.header("cache-control", "no-store");
    return next();
  });
  app.use(admitted(network, (match) => methodsOf(app, match)));
  addSpot(app, network);
  app.notFound(notFound);
  app.onError(failed);
  return app;
}

/** Decides, in this order, about path (A15, A21), method (A15), rate (A14) and token (A4, A5), before any work. */
function admitted(network: Network, methods: (match: RouteMatch) => string[]): MiddlewareHandler<Env> {
  return async (c, next) => {
    const match = routeAt(new URL(c.req.url).pathname);
    const allowed = match === null ? [] : methods(match);
    if (match === null || allowed.length === 0) return notFound(c);
    c.var.note.route = match.route;
    c.var.note.screenId = match.parameters.screen_id ?? null;
    // A HEAD that was taken for a GET would use up a spot.
    if (!allowed.includes(c.req.method)) return methodNotAllowed(c, allowed);
    const waitSeconds = overLimit(network, match);
    if (waitSeconds !== null) return tooMany(c, waitSeconds);
    if (!network.state.inventory.organizations.has(match.parameters.org_token ?? "")) return unauthorized(c);
    return next();
  };
}

/** The methods for which a route has a handler, so that `Allow` cannot drift from what is answered. */
function methodsOf(app: OpenAPIHono<Env>, { route }: RouteMatch): string[] {
  const own = app.routes.filter(({ path, method }) => path === routes[route] && method !== "ALL");
  return [...new Set(own.map(({ method }) => method))];
}

function tooMany(c: Context<Env>, waitSeconds: number) {
  c.header("retry-after", String(waitSeconds));
  return problem(c, 429, "too_many_requests", `too many requests; try again in ${waitSeconds} s`);
}

function unauthorized(c: Context<Env>) {
  return problem(c, 401, "unauthorized", "the organization token is missing or not valid");
}
