import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { FieldError, Refusal } from "../../core/inventory/rules.ts";
import type { Instant } from "../../core/spot.ts";
import { errorBody } from "../../wire/errors.ts";
import { routeAt, routes } from "../../wire/routes.ts";
import type { Network } from "../network.ts";
import { nearest } from "../problems.ts";
import { POP_PATH } from "../spot/ledger.ts";
import type { Listener } from "./journal.ts";

/** What the journal is to say about a call beside what can be seen from outside. */
interface CallNote {
  route: string | null;
  orgToken: string | null;
  screenId: string | null;
  requestId: string | null;
  nearMiss: string | null;
  /** The name of the fault that was put in its way. */
  fault: string | null;
  /** What was answered past the server, 0 for nothing; `null` when the answer went the usual way. */
  status: number | null;
  /** What the head of the answer has, by names in lower case. */
  readonly head: Record<string, string>;
  readonly warnings: string[];
  readonly events: string[];
}

/** What every handler of the emulator finds in its context. */
export interface Env {
  Bindings: HttpBindings;
  Variables: { note: CallNote };
}

/** Answers a call. What all calls of a listener have in common is put around it by functions from one to another. */
export type Answerer = (c: Context<Env>) => Response | Promise<Response>;

/** The statuses of error answers. */
type ProblemStatus = 400 | 401 | 403 | 404 | 405 | 409 | 410 | 413 | 415 | 416 | 422 | 429 | 500 | 504;

/** Even a call that never gets an answer lets its connection go after this; no client waits as long. */
const LONGEST_HANG_MS = 3_600_000;

/**
 * An answer with the head that the call's note has. Not Hono's: its `Headers` take longer to make, and to read again,
 * than a spot does.
 */
export function answerWith(c: Context<Env>, body: ConstructorParameters<typeof Response>[0], status: number): Response {
  return new Response(body, { status, headers: { ...c.get("note").head } });
}

/** An answer in JSON. */
export function json(c: Context<Env>, value: unknown, status = 200): Response {
  c.get("note").head["content-type"] = "application/json";
  return answerWith(c, JSON.stringify(value), status);
}

/** An error answer in the one shape of the service (A1). */
export function problem(
  c: Context<Env>,
  status: ProblemStatus,
  code: string,
  detail: string,
  errors?: readonly FieldError[],
): Response {
  if (status < 500) c.get("note").nearMiss = detail;
  return json(c, errorBody(status, code, detail, errors), status);
}

/** A refusal by the rules of the contract: 400 for what contradicts the state, 422 for what spans fields (A7). */
export function refusal(c: Context<Env>, { kind, code, complaints }: Refusal) {
  const detail = complaints.map(({ field, message }) => `${field}: ${message}`).join("; ");
  return problem(c, kind === "conflict" ? 400 : 422, code, detail, complaints);
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
  c.get("note").head.allow = allowed.join(", ");
  const detail = allowed.length === 0 ? "this path takes no method" : `this path takes ${allowed.join(" and ")} only`;
  return problem(c, 405, "method_not_allowed", detail);
}

/** The note of a call of which nothing is known yet. */
export function emptyNote(): CallNote {
  const unknown = { route: null, orgToken: null, screenId: null, requestId: null, nearMiss: null, fault: null };
  return { ...unknown, status: null, head: {}, warnings: [], events: [] };
}

/** Puts every call into the journal, and the network's own time into every answer (F7). What fails is answered 500. */
export function journalled(network: Network, listener: Listener, answerer: Answerer): Answerer {
  const dateAt = dateWriter();
  return (c) => {
    const note = emptyNote();
    const at = network.clock.now();
    const realAt = Date.now();
    const begunAt = performance.now();
    c.set("note", note);
    note.head.date = dateAt(at);
    const added = (answer: Response) => {
      const { route, orgToken, screenId, requestId, nearMiss, fault, warnings, events } = note;
      const { method = c.req.method, url: path = "" } = c.env.incoming;
      const status = note.status ?? answer.status;
      const ms = Math.round((performance.now() - begunAt) * 1000) / 1000;
      const missed = fault === null ? nearMissOf(network, { listener, route, status, target: path }) : null;
      const complaint = [nearMiss, missed].filter((part) => part !== null).join("; ") || null;
      const whose = { orgToken, screenId, requestId };
      const call = { at, realAt, listener, method, path, route, ...whose, status, ms, warnings, events, fault };
      network.journal.add({ ...call, nearMiss: complaint });
      return answer;
    };
    // An answer that nobody has to wait for is sent at once, which is a good deal faster.
    const answer = attempted(c, answerer);
    return answer instanceof Promise ? answer.then(added) : added(answer);
  };
}

function attempted(c: Context<Env>, answerer: Answerer): Response | Promise<Response> {
  try {
    const answer = answerer(c);
    return answer instanceof Promise ? answer.catch((error) => failed(error, c)) : answer;
  } catch (error) {
    return failed(error as Error, c);
  }
}

/** Writes instants as a `Date` header has them, each second only once. */
function dateWriter(): (at: Instant) => string {
  let second = Number.NaN;
  let written = "";
  return (at) => {
    const asked = Math.floor(at / 1000);
    if (asked !== second) written = new Date(at).toUTCString();
    second = asked;
    return written;
  };
}

/** Never answers a call; it is in the journal with the status 0. Whoever ends the connection ends the wait. */
export function leaveUnanswered(c: Context<Env>): Response {
  const { socket } = c.env.incoming;
  const patience = setTimeout(() => socket.destroy(), LONGEST_HANG_MS).unref();
  socket.once("close", () => clearTimeout(patience));
  return takenOver(c, 0);
}

/** Tells the server that the answer is not its business: it is written past it, or there is none (status 0). */
export function takenOver(c: Context<Env>, status: number): Response {
  c.get("note").status = status;
  return asTakenOver(new Response(null, { headers: { [TAKEN_OVER]: "true" } }));
}

/** What tells the server so. */
const TAKEN_OVER = "x-hono-already-sent";

/** The same answer, of a kind that the server leaves alone if it was taken over: light ones it sends; a clone is a full one. */
export function asTakenOver(answer: Response): Response {
  return answer.headers.has(TAKEN_OVER) ? answer.clone() : answer;
}

/** A call that was refused. `target`: path and query as they were sent. */
interface Missed {
  readonly listener: "service" | "media" | "control";
  readonly route: string | null;
  readonly status: number;
  readonly target: string;
}

/** Of so many pops a URL is compared with the newest. */
const MOST_POPS_COMPARED = 10_000;
/** With less than this in common it is not an altered URL but some other one. */
const LEAST_COMMON = POP_PATH.length + 4;

/** What would have been right instead of what a call asked for; `null` where there is nothing like it. */
function nearMissOf(network: Network, { listener, route, status, target }: Missed): string | null {
  if (status !== 401 && status !== 404) return null;
  const path = target.split("?", 1)[0] ?? "";
  if (route === "pop") return firstDifference(target, [...network.state.ledger.pops.keys()]);
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

/** The contract's path that an unknown path comes nearest to, as in `/vendor/{org_token}/locations`. */
function nearestPath(path: string): string | null {
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

/** Where an unknown proof-of-play URL departs from the one it comes nearest to (F10, F11). */
function firstDifference(path: string, known: readonly string[]): string | null {
  let best = "";
  let longest = LEAST_COMMON - 1;
  for (const candidate of known.slice(-MOST_POPS_COMPARED)) {
    const length = commonLength(path, candidate);
    if (length <= longest) continue;
    [best, longest] = [candidate, length];
  }
  if (best === "") return null;
  return `it departs from ${best} at character ${longest + 1}: ${tail(best, longest)} was given out`;
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}

function tail(path: string, at: number): string {
  return at === path.length ? "nothing more" : `"${path.slice(at, at + 12)}"`;
}
