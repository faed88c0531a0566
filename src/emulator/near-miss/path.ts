import { routes } from "../../wire/routes.ts";
import { nearest } from "./nearest.ts";

/** The contract's path that an unknown path comes nearest to, as in `/vendor/{org_token}/locations`. */
export function nearestPath(path: string): string | null {
  const given = path.split("/");
  const named = Object.values(routes).map((template) => [filledIn(template, given), template] as const);
  const best = nearest(
    path,
    named.map(([filled]) => filled),
  );
  const template = named.find(([filled]) => filled === best)?.[1];
  return template?.replace(/:(\w+)/g, "{$1}") ?? null;
}

/** What stands where a parameter belongs counts as one, so that only the rest is compared. */
function filledIn(template: string, given: readonly string[]): string {
  const steps = template.split("/");
  return steps.map((step, index) => (step.startsWith(":") ? (given[index] ?? step) : step)).join("/");
}
