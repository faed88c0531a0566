import { type Route, routes } from "../../wire/routes.ts";
import { print, printJson } from "../text.ts";

/** A request that is shown instead of sent. The token's place is shown, not the token. */
export interface Shown {
  readonly baseUrl: string;
  readonly route: Route;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Prints what would be sent: for machines as one object, for people with a line for each field. */
export function printRequest(shown: Shown, json: boolean): void {
  const url = shown.baseUrl.replace(/\/+$/, "") + pathOf(shown);
  if (json) printJson({ method: "POST", url, body: shown.body });
  else print(`POST ${url}`, "Content-Type: application/json", "", ...bodyLines(shown.body));
}

function pathOf({ route, parameters }: Shown): string {
  return routes[route].replace(/:(\w+)/g, (_, name: string) => {
    return name === "org_token" ? "{org_token}" : encodeURIComponent(parameters[name] ?? "");
  });
}

/** JSON with a line for each field: a week of hours is one line, not 168. */
function bodyLines(body: object): string[] {
  const fields = Object.entries(body).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return fields.length === 0 ? ["{}"] : ["{", fields.join(",\n"), "}"];
}
