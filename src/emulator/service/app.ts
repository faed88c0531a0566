import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { type Route, type RouteMatch, routeAt, routes } from "../../wire/routes.ts";
import { faulty } from "../faults/middleware.ts";
import { type Env, failed, journalled, methodNotAllowed, notFound, problem } from "../http/answers.ts";
import { approveWhatIsDue } from "../inventory/due.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import { unauthorized, unknownObject } from "./answers.ts";
import { addApprovals } from "./approvals.ts";
import { addLocations } from "./locations.ts";
import { overLimit } from "./rate-limit.ts";
import { addScreens } from "./screens.ts";
import { addSpot } from "./spot.ts";
import { addVenueTypes } from "./venue-types.ts";

/** The service: the contract's endpoints at their exact paths and nothing else. */
export function serviceApp(network: Network, files: ReadonlyMap<string, MediaFile>): OpenAPIHono<Env> {
  const app = new OpenAPIHono<Env>();
  app.use(journalled(network, "service"));
  app.use(faulty(network, "service", files));
  app.use(async (c, next) => {
    c.header("cache-control", "no-store");
    return next();
  });
  app.use(admitted(network, methodsIn(app)));
  addLocations(app, network);
  addScreens(app, network);
  addVenueTypes(app, network);
  addApprovals(app, network, files);
  addSpot(app, network);
  app.notFound(notFound);
  app.onError(failed);
  return app;
}

/** Decides, in this order, about path (A15, A21), rate (A14), token (A4, A5) and method (A15), before any work. */
function admitted(network: Network, methods: (match: RouteMatch) => readonly string[]): MiddlewareHandler<Env> {
  return async (c, next) => {
    const match = routeAt(new URL(c.req.url).pathname);
    if (match === null) return notFound(c);
    c.get("note").route = match.route;
    c.get("note").screenId = match.parameters.screen_id ?? null;
    const waitSeconds = overLimit(network, match);
    if (waitSeconds !== null) return tooMany(c, waitSeconds);
    if (!network.state.inventory.organizations.has(match.parameters.org_token ?? ""))
      return badToken(c, network, match);
    // A HEAD that was taken for a GET would use up a spot.
    const allowed = methods(match);
    if (!allowed.includes(c.req.method)) return methodNotAllowed(c, allowed);
    c.get("note").events.push(...approveWhatIsDue(network));
    return next();
  };
}

/** The methods for which a route has a handler, so that `Allow` cannot drift from what is answered. */
function methodsIn(app: OpenAPIHono<Env>): (match: RouteMatch) => readonly string[] {
  const known = new Map<Route, readonly string[]>();
  return ({ route }) => {
    const methods = known.get(route) ?? methodsOf(app, route);
    known.set(route, methods);
    return methods;
  };
}

function methodsOf(app: OpenAPIHono<Env>, route: Route): readonly string[] {
  const own = app.routes.filter(({ path, method }) => path === routes[route] && method !== "ALL");
  return [...new Set(own.map(({ method }) => method))];
}

function tooMany(c: Context<Env>, waitSeconds: number) {
  c.header("retry-after", String(waitSeconds));
  return problem(c, 429, "too_many_requests", `too many requests; try again in ${waitSeconds} s`);
}

function badToken(c: Context<Env>, { state }: Network, { route, parameters }: RouteMatch) {
  if (route !== "spot" || state.switches.spotBadToken === 401) return unauthorized(c);
  return unknownObject(c, "screen", parameters.screen_id ?? "");
}
