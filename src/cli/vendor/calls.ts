import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, Failure } from "../../client/answer.ts";
import { type Route, routes } from "../../wire/routes.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { count, plain, print, printJson, say } from "../text.ts";

/** Somebody waits at the terminal: a command waits this long in all for a service that is asked too often (A14). */
const LONGEST_WAIT_MS = 10_000;
/** A service that asks to wait next to nothing, again and again, is not asked more often than this. */
const MOST_WAITS = 10;

/**
 * Makes a call, and makes it again when the service asks to wait for a few seconds: nothing was done by a call that was
 * answered 429, so writing is safe to repeat (A14). A service that names no wait, or a longer one, is not waited for.
 */
export async function patiently<T>(
  ask: () => Promise<Answer<T>>,
  wait: (waitMs: number) => Promise<unknown> = told,
): Promise<Answer<T>> {
  let leftMs = LONGEST_WAIT_MS;
  for (let waits = 0; ; waits++) {
    const answer = await ask();
    const waitMs = answer.kind === "limited" ? answer.retryAfterMs : null;
    if (waitMs === null || waitMs > leftMs || waits === MOST_WAITS) return answer;
    leftMs -= waitMs;
    await wait(waitMs);
  }
}

async function told(waitMs: number): Promise<void> {
  say(`The service asks to wait ${Math.ceil(waitMs / 1000)} s.`);
  await sleep(waitMs);
}

/** A request that is shown instead of sent. The token's place is shown, not the token. */
interface Shown {
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

/** What a call was about, for the words of its failure. */
interface Subject {
  /** As in "there is no location L1". */
  readonly what: string;
  /** What the user calls a field. */
  readonly nameOf?: (field: string) => string;
  /** A command that shows how things stand. */
  readonly look?: string;
}

/** The value of a good answer; any other ends the command, with a message and the code that fits. */
export function orEnd<T>(answer: Answer<T>, subject: Subject): T {
  if (answer.kind === "ok") return answer.value;
  throw new CommandFailure(failureText(answer, subject), failureCode(answer));
}

/** The exit code for what went wrong with a call. */
export function failureCode({ kind }: Failure): number {
  switch (kind) {
    case "invalid":
    case "notFound":
    case "conflict":
      return exitCodes.data;
    case "unauthorized":
      return exitCodes.permission;
    case "limited":
    case "unavailable":
      return exitCodes.unavailable;
  }
}

/** What went wrong with a call, for people, with what to do about it. */
export function failureText(failure: Failure, { what, nameOf = (field) => field, look }: Subject): string {
  switch (failure.kind) {
    case "invalid":
      return invalidText(failure, nameOf);
    case "unauthorized":
      return "The service does not accept the organization token. Mend SPOTLOOP_ORG_TOKEN or the file that holds it.";
    case "notFound":
      return `There is no ${what} in this organization.`;
    case "conflict":
      return `There is a ${what} already${look === undefined ? "" : `; see it with: ${look}`}`;
    case "limited":
      return `The service is asked too often. Try again ${waitText(failure.retryAfterMs)}.`;
    case "unavailable":
      return unavailableText(failure, look);
  }
}

function invalidText(
  { status, detail, fields }: Extract<Failure, { kind: "invalid" }>,
  nameOf: (field: string) => string,
): string {
  const flaws = fields.map(({ field, message }) => ({ where: nameOf(field), message }));
  if (status === null) return flawText(flaws);
  const said = flaws.length > 0 ? flawText(flaws) : plain(detail ?? "");
  return `The service refuses this (HTTP ${status})${said === "" ? "." : `: ${said}`}`;
}

function unavailableText(
  { reason, retryAfterMs, done }: Extract<Failure, { kind: "unavailable" }>,
  look: string | undefined,
): string {
  const open = look === undefined ? "Look before you try again." : `See with: ${look}`;
  const outcome = { no: "", yes: " It was done all the same.", unknown: ` Whether it was done is not known. ${open}` };
  const when = retryAfterMs === null ? "" : ` Try again ${waitText(retryAfterMs)}.`;
  const advice = when === "" && done === "no" ? " spotloop doctor says more." : "";
  return `The service did not answer as it should: ${plain(reason)}.${when}${outcome[done]}${advice}`;
}

function waitText(waitMs: number | null): string {
  return waitMs === null ? "in half a minute" : `in ${Math.ceil(waitMs / 1000)} s`;
}

/** One thing that is wrong with what a command was given, and the flag or field to mend. */
export interface Flaw {
  readonly where: string;
  readonly message: string;
  /** `usage`: it makes no sense by itself. `data`: it makes sense, and breaks a rule. */
  readonly kind: "usage" | "data";
}

/** Ends the command with all that is wrong, if anything is: with 64 if some of it makes no sense, else with 65. */
export function endIfFlawed(flaws: readonly Flaw[]): void {
  if (flaws.length === 0) return;
  const code = flaws.some(({ kind }) => kind === "usage") ? exitCodes.usage : exitCodes.data;
  throw new CommandFailure(flawText(flaws), code);
}

/** A line for each flaw; the number of them above, where there are more. */
export function flawText(flaws: readonly Omit<Flaw, "kind">[]): string {
  const lines = flaws.map(({ where, message }) => plain(where === "" ? message : `${where}: ${message}`));
  return lines.length === 1 ? (lines[0] ?? "") : [`${count(lines.length, "problem")}:`, ...indented(lines)].join("\n");
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** The most calls under way at a time: as many as a browser allows itself to one host. */
export const CALLS_AT_ONCE = 6;

/** A 429 is waited out so often for one call; a service that then still says so is not to be had. */
const MOST_PAUSES = 20;
/** The wait after a 429 that names none. */
const WAIT_MS = 30_000;
/** The waits after calls that nothing came of: the service is restarted, the line is down for a moment. */
const FALTERING_MS = [500, 1_000, 2_000] as const;

/** Calls under way together are told to wait a moment after one another. */
const SAME_WAIT_MS = 1_000;

/** Makes calls no faster than the service likes them: when it asks one to wait, all wait. */
export class Pace {
  readonly #signal: AbortSignal;
  readonly #onPause: (waitMs: number) => void;
  #pausedUntil = 0;

  /** `onPause` hears of each wait that makes all of them longer. */
  constructor(signal: AbortSignal, onPause: (waitMs: number) => void = () => {}) {
    this.#signal = signal;
    this.#onPause = onPause;
  }

  /** Calls until there is an answer other than "wait", or waiting was called off. `ask` must be safe to repeat then. */
  async call<T>(ask: () => Promise<Answer<T>>): Promise<Answer<T>> {
    for (let waits = 0, falters = 0; ; ) {
      await this.#pause();
      if (this.#signal.aborted) return CALLED_OFF;
      const answer = await ask();
      const waitMs = waitAfter(answer, falters);
      if (waitMs === null || ++waits > MOST_PAUSES) return answer;
      if (answer.kind === "unavailable") falters++;
      // What was asked for while the others wait anyway is no news.
      if (waitMs > this.#left() + SAME_WAIT_MS) this.#onPause(waitMs);
      this.#pausedUntil = Math.max(this.#pausedUntil, performance.now() + waitMs);
    }
  }

  async #pause(): Promise<void> {
    for (let leftMs = this.#left(); leftMs > 0 && !this.#signal.aborted; leftMs = this.#left()) {
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          this.#signal.removeEventListener("abort", done);
          resolve();
        };
        const timer = setTimeout(done, leftMs);
        this.#signal.addEventListener("abort", done, { once: true });
      });
    }
  }

  #left(): number {
    return this.#pausedUntil - performance.now();
  }
}

const CALLED_OFF = { kind: "unavailable", reason: "called off", retryAfterMs: null, done: "no" } as const;

/** How long to wait before the same call may be made again; null where it is not to be. */
function waitAfter(answer: Answer<unknown>, falters: number): number | null {
  if (answer.kind === "limited") return answer.retryAfterMs ?? WAIT_MS;
  if (answer.kind !== "unavailable" || answer.done !== "no") return null;
  return answer.retryAfterMs ?? FALTERING_MS[falters] ?? null;
}

/** Does something for each entry, `CALLS_AT_ONCE` at a time, in order, until all are done or it is called off. */
export async function forEach<T>(
  entries: readonly T[],
  signal: AbortSignal,
  act: (entry: T) => Promise<void>,
): Promise<void> {
  const left = entries.values();
  const work = async () => {
    for (const entry of left) {
      if (signal.aborted) return;
      await act(entry);
    }
  };
  await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work));
}
