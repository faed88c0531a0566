import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import { errorBody, type FieldError } from "../../wire/errors.ts";
import type { Network } from "../network.ts";
import type { Listener } from "./journal.ts";

/** What the journal is to say about a call beside what can be seen from outside. */
export interface CallNote {
  route: string | null;
  screenId: string | null;
  nearMiss: string | null;
  readonly warnings: string[];
}

/** What every handler of the emulator finds in its context. */
export interface Env {
  Bindings: HttpBindings;
  Variables: { note: CallNote };
}

/** The statuses of error answers. */
export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 416 | 422 | 429 | 500;

/** An error answer in the one shape of the service (A1). */
export function problem<Status extends ProblemStatus>(
  c: Context<Env>,
  status: Status,
  code: string,
  detail: string,
  errors?: readonly FieldError[],
) {
  if (status < 500) c.var.note.nearMiss = detail;
  return c.json(errorBody(status, code, detail, errors), status);
}

/** Answers what no route was found for, and what went wrong on our side, in that shape too. */
export function notFound(c: Context<Env>) {
  return problem(c, 404, "not_found", "there is nothing at this path");
}

export function failed(error: Error, c: Context<Env>) {
  console.error(error);
  return problem(c, 500, "internal_error", "the emulator failed; its log says why");
}

/** Refuses a method that a path does not have, naming those that it has (A15). */
export function methodNotAllowed(c: Context<Env>, allowed: readonly string[]) {
  c.header("allow", allowed.join(", "));
  return problem(c, 405, "method_not_allowed", `this path takes ${allowed.join(" and ")} only`);
}

/** Puts every call into the journal, and the network's own time into every answer (F7). */
export function journalled(network: Network, listener: Listener): MiddlewareHandler<Env> {
  return async (c, next) => {
    const note: CallNote = { route: null, screenId: null, nearMiss: null, warnings: [] };
    const at = network.clock.now();
    const realAt = Date.now();
    const begunAt = performance.now();
    c.set("note", note);
    c.header("date", new Date(at).toUTCString());
    await next();
    const { route, screenId, nearMiss, warnings } = note;
    const { method, url = "" } = c.env.incoming;
    const seen = { listener, method: method ?? c.req.method, path: url, route, screenId, status: c.res.status };
    const ms = Math.round((performance.now() - begunAt) * 1000) / 1000;
    network.journal.add({ at, realAt, ...seen, ms, warnings, fault: null, nearMiss });
  };
}
