import { routeAt } from "../../wire/routes.ts";
import type { Network } from "../network.ts";
import { nearest } from "./nearest.ts";
import { nearestPath } from "./path.ts";
import { departure } from "./pop.ts";

/** A call that was refused. `target`: path and query as they were sent. */
export interface Missed {
  readonly listener: "service" | "media" | "control";
  readonly route: string | null;
  readonly status: number;
  readonly target: string;
}

/** What would have been right instead of what a call asked for; `null` where there is nothing like it. */
export function nearMissOf(network: Network, { listener, route, status, target }: Missed): string | null {
  if (status !== 401 && status !== 404) return null;
  const path = target.split("?", 1)[0] ?? "";
  if (route === "pop") return departure(target, [...network.state.ledger.pops.keys()]);
  if (listener !== "service") return null;
  const match = routeAt(path);
  const meant = match === null ? nearestPath(path) : nearestName(network, match.parameters);
  return meant === null ? null : `nearest is ${meant}`;
}

/** The nearest to whichever name in the path is not there. */
function nearestName({ state }: Network, parameters: Readonly<Record<string, string>>): string | null {
  const { organizations } = state.inventory;
  const { org_token: token = "", location_id, screen_id, car_id } = parameters;
  const organization = organizations.get(token);
  if (organization === undefined) return token === "" ? null : nearest(token, organizations.keys());
  if (location_id !== undefined) return nearest(location_id, organization.locations.keys());
  if (screen_id !== undefined) return nearest(screen_id, organization.screens.keys());
  return car_id === undefined ? null : nearest(car_id, organization.approvals.keys());
}
