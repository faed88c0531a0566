/** The paths of the service, as the contract's "Endpoints" writes them. `:name` marks a path parameter. */
export const routes = {
  spot: "/v3/vendor/:org_token/1/rt_ad/:screen_id",
  locations: "/vendor/:org_token/locations",
  location: "/vendor/:org_token/locations/:location_id",
  screens: "/vendor/:org_token/screens",
  screen: "/vendor/:org_token/screens/:screen_id",
  venueTypes: "/vendor/:org_token/venue_types",
  approval: "/vendor/:org_token/cars/:car_id",
  rejectApproval: "/vendor/:org_token/cars/:car_id/reject",
} as const;

export type Route = keyof typeof routes;

/**
 * The URL of a route under a base URL, with or without a trailing slash there, each parameter percent-encoded; half a
 * character as what stands for one that cannot be read.
 */
export function urlOf(baseUrl: string, route: Route, parameters: Readonly<Record<string, string>>): string {
  const written = (name: string) => encodeURIComponent(String(parameters[name] ?? "").replace(HALVES, "\ufffd"));
  const path = routes[route].replace(/:(\w+)/g, (_, name: string) => written(name));
  return baseUrl.replace(/\/+$/, "") + path;
}

/**
 * Whether a value can be a segment of a path at all: nothing, `.` and `..` cannot, nor half a character. URLs are written
 * without dot segments, percent-encoded ones too, so a request for one would reach another path (A17).
 */
export function isSegment(value: string): boolean {
  return value !== "" && value !== "." && value !== ".." && !HALF.test(value);
}

/** Half of a character that takes two places in a text: it has no bytes to be encoded by. */
export const HALF = /\p{Surrogate}/u;
const HALVES = new RegExp(HALF, "gu");

/** A route with the parameters that a path gives it, decoded. */
export interface RouteMatch {
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * The route that a path, without its query, asks for; `null` for a path that is not in the contract (A15, A21).
 * The org token may be empty: that is a missing token, not another path (A4).
 */
export function routeAt(path: string): RouteMatch | null {
  for (const { route, pattern } of patterns) {
    const groups = pattern.exec(path)?.groups;
    const parameters = groups === undefined ? null : path.includes("%") ? decoded(groups) : groups;
    if (parameters !== null) return { route, parameters };
  }
  return null;
}

const patterns = (Object.keys(routes) as Route[]).map((route) => {
  const source = routes[route].replace(/:(\w+)/g, (_, name: string) => {
    return name === "org_token" ? `(?<${name}>[^/]*)` : `(?<${name}>[^/]+)`;
  });
  return { route, pattern: new RegExp(`^${source}$`) };
});

function decoded(groups: Readonly<Record<string, string>>): Record<string, string> | null {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]));
  } catch {
    return null;
  }
}
