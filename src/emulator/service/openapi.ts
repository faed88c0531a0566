import { errorSchema } from "../../wire/errors.ts";
import { type Route, routes } from "../../wire/routes.ts";

/** A route's path with its parameters in braces, as OpenAPI writes them. */
export function openApiPath(route: Route): string {
  return routes[route].replace(/:(\w+)/g, "{$1}");
}

/** The description of an error answer (A1). */
export function errorAnswer(description: string) {
  return { description, content: { "application/json": { schema: errorSchema } } };
}
