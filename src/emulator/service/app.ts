import { type Context, Hono } from "hono";
import { type Route, type RouteMatch, routeAt, routes } from "../../wire/routes.ts";
import { faulty } from "../faults/middleware.ts";
import { type Answerer, type Env, failed, journalled, methodNotAllowed, notFound, problem } from "../http/answers.ts";
import { pathnameOf } from "../http/body.ts";
import { screenKey } from "../inventory/inventory.ts";
import { approveWhatIsDue } from "../inventory/reviews.ts";
import type { MediaFile } from "../media/files.ts";
import type { Network } from "../network.ts";
import type { RateLimit } from "../world/schema.ts";
import { type AddEndpoint, addEndpoint, unauthorized, unknownObject } from "./endpoint.ts";
import { addApprovals, addLocations, addScreens, addSpot, addVenueTypes } from "./resources.ts";

/** The service: the contract's endpoints at their exact paths and nothing else. */
export function serviceApp(network: Network, files: ReadonlyMap<string, MediaFile>): Hono<Env> {
  const app = new Hono<Env>();
  const methods = methodsIn(app);
  const called = (answerer: Answerer) =>
    journalled(network, "service", faulty(network, "service", files, admitted(network, methods, answerer)));
  const add: AddEndpoint = (endpoint, answerer) => addEndpoint(app, endpoint, called(answerer));
  addLocations(add, network);
  addScreens(add, network);
  addVenueTypes(add, network);
  addApprovals(add, network, files);
  addSpot(add, network);
  app.notFound(called(notFound));
  app.onError(failed);
  return app;
}

/**
 * Decides, in this order, about path (A15, A21), rate (A14), token (A4, A5) and method (A15), before any work. Answers are
 * not to be kept unless they say so.
 */
function admitted(network: Network, methods: (match: RouteMatch) => readonly string[], answerer: Answerer): Answerer {
  return (c) => {
    const note = c.get("note");
    note.head["cache-control"] = "no-store";
    const pathname = pathnameOf(c);
    const match = routeAt(pathname);
    if (match === null) return outsideRoutes(c, network, pathname);
    note.route = match.route;
    note.orgToken = match.parameters.org_token || null;
    note.screenId = match.parameters.screen_id ?? null;
    const waitSeconds = overLimit(network, match);
    if (waitSeconds !== null) return tooMany(c, waitSeconds);
    if (!network.state.inventory.organizations.has(match.parameters.org_token ?? ""))
      return badToken(c, network, match);
    // A HEAD that was taken for a GET would use up a spot.
    const allowed = methods(match);
    if (!allowed.includes(c.req.method)) return methodNotAllowed(c, allowed);
    note.events.push(...approveWhatIsDue(network));
    return answerer(c);
  };
}

/** The CARs of an organization, which the contract does not list; those of locations and screens can be created there. */
const LIST_OF_CARS = /^\/vendor\/([^/]*)\/cars$/;

/** Listing is not in the contract: 405 where a list would be, 404 at any other path (A15). */
function outsideRoutes(c: Context<Env>, { state }: Network, pathname: string) {
  const [, orgToken] = LIST_OF_CARS.exec(pathname) ?? [];
  if (orgToken === undefined) return notFound(c);
  return state.inventory.organizations.has(orgToken) ? methodNotAllowed(c, []) : unauthorized(c);
}

/** The methods for which a route has a handler, so that `Allow` cannot drift from what is answered. */
function methodsIn(app: Hono<Env>): (match: RouteMatch) => readonly string[] {
  const known = new Map<Route, readonly string[]>();
  return ({ route }) => {
    const methods = known.get(route) ?? methodsOf(app, route);
    known.set(route, methods);
    return methods;
  };
}

function methodsOf(app: Hono<Env>, route: Route): readonly string[] {
  const own = app.routes.filter(({ path, method }) => path === routes[route] && method !== "ALL");
  return [...new Set(own.map(({ method }) => method))];
}

function tooMany(c: Context<Env>, waitSeconds: number) {
  c.get("note").head["retry-after"] = String(waitSeconds);
  return problem(c, 429, "too_many_requests", `too many requests; try again in ${waitSeconds} s`);
}

function badToken(c: Context<Env>, { state }: Network, { route, parameters }: RouteMatch) {
  if (route !== "spot" || state.switches.spotBadToken === 401) return unauthorized(c);
  return unknownObject(c, "screen", parameters.screen_id ?? "");
}

/** The most windows counted at a time; at that many the oldest are forgotten, which only lets calls through. */
const MOST_WINDOWS = 10_000;

/**
 * Counts a call that may go on against every limit, and returns `null`; the whole seconds to wait when it is one too many,
 * which counts against none (A14).
 */
function overLimit({ state: { windows, began }, clock }: Network, { route, parameters }: RouteMatch): number | null {
  const now = clock.now();
  let waitMs = 0;
  const counting: { calls: number }[] = [];
  for (const [index, limit] of began.rateLimits.entries()) {
    const counted = subject(limit, route, parameters);
    if (counted === null) continue;
    const key = `${index}/${counted}`;
    const lengthMs = limit.seconds * 1000;
    const window = windows.get(key);
    const current =
      window !== undefined && now >= window.since && now < window.since + lengthMs ? window : { since: now, calls: 0 };
    if (current.calls >= limit.calls) waitMs = Math.max(waitMs, current.since + lengthMs - now);
    counting.push(current);
    windows.delete(key);
    windows.set(key, current);
  }
  for (const oldest of windows.keys()) {
    if (windows.size <= MOST_WINDOWS) break;
    windows.delete(oldest);
  }
  if (waitMs > 0) return Math.ceil(waitMs / 1000);
  for (const current of counting) current.calls += 1;
  return null;
}

/** What a call counts for. A route's limit is shared by everyone; a call without a screen counts for none. */
function subject(
  limit: RateLimit,
  route: string,
  { org_token = "", screen_id }: RouteMatch["parameters"],
): string | null {
  switch (limit.per) {
    case "token":
      return org_token;
    case "screen":
      return screen_id === undefined ? null : screenKey(org_token, screen_id);
    case "route":
      return route;
  }
}
