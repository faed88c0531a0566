import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import type { Refusal } from "../../core/ruling.ts";
import { errorBody, type FieldError } from "../../wire/errors.ts";
import { nearMissOf } from "../near-miss/near-miss.ts";
import type { Network } from "../network.ts";
import type { Listener } from "./journal.ts";

/** What the journal is to say about a call beside what can be seen from outside. */
export interface CallNote {
  route: string | null;
  screenId: string | null;
  nearMiss: string | null;
  /** The name of the fault that was put in its way. */
  fault: string | null;
  /** What was answered past the server, 0 for nothing; `null` when the answer went the usual way. */
  status: number | null;
  readonly warnings: string[];
  readonly events: string[];
}

/** What every handler of the emulator finds in its context. */
export interface Env {
  Bindings: HttpBindings;
  Variables: { note: CallNote };
}

/** The statuses of error answers. */
export type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 416 | 422 | 429 | 500 | 504;

/** An error answer in the one shape of the service (A1). */
export function problem<Status extends ProblemStatus>(
  c: Context<Env>,
  status: Status,
  code: string,
  detail: string,
  errors?: readonly FieldError[],
) {
  if (status < 500) c.get("note").nearMiss = detail;
  return c.json(errorBody(status, code, detail, errors), status);
}

/** A refusal by the rules of the contract: 400 for what contradicts the state, 422 for what spans fields (A7). */
export function refusal(c: Context<Env>, { kind, code, complaints }: Refusal) {
  const detail = complaints.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return problem(c, kind === "impossible" ? 400 : 422, code, detail, complaints);
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
    const note: CallNote = {
      route: null,
      screenId: null,
      nearMiss: null,
      fault: null,
      status: null,
      warnings: [],
      events: [],
    };
    const at = network.clock.now();
    const realAt = Date.now();
    const begunAt = performance.now();
    c.set("note", note);
    c.header("date", new Date(at).toUTCString());
    await next();
    const { route, screenId, nearMiss, fault, warnings, events } = note;
    const { method, url = "" } = c.env.incoming;
    const seen = {
      listener,
      method: method ?? c.req.method,
      path: url,
      route,
      screenId,
      status: note.status ?? c.res.status,
    };
    const ms = Math.round((performance.now() - begunAt) * 1000) / 1000;
    const missed = fault === null ? nearMissOf(network, { ...seen, target: url }) : null;
    const complaint = [nearMiss, missed].filter((part) => part !== null).join("; ");
    network.journal.add({ at, realAt, ...seen, ms, warnings, events, fault, nearMiss: complaint || null });
  };
}
