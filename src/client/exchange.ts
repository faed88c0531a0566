import pRetry from "p-retry";
import type { z } from "zod";
import { problemSchema } from "../wire/inventory-answers.ts";
import { type Answer, type Failure, ok } from "./answer.ts";
import { isTransient, type Reply, readText, succeeded, within } from "./http.ts";
import { isHtml, PROXY_LOGIN_STATUS, reasonOf, retryAfterMs, WANTS_LOGIN } from "./reply.ts";

/** What became of one request. */
export type Exchange =
  /** `text` is null where the body was longer than allowed, or broke off. */
  | { readonly kind: "answered"; readonly status: number; readonly headers: Headers; readonly text: string | null }
  | { readonly kind: "noResponse"; readonly reason: string };

interface ExchangeLimits {
  readonly timeoutMs: number;
  readonly largestBytes: number;
}

/** Sends one request and reads its answer whole. Once there is a status, a body that never ends cannot undo it (A2). */
export async function exchange(
  send: (signal: AbortSignal) => Promise<Reply>,
  { timeoutMs, largestBytes }: ExchangeLimits,
  signal: AbortSignal,
): Promise<Exchange> {
  if (signal.aborted) return { kind: "noResponse", reason: CALLED_OFF_BEFORE };
  let reply: Reply | null = null;
  try {
    return await within(timeoutMs, signal, async (raised) => {
      reply = await send(raised);
      return answered(reply, await readText(reply, largestBytes));
    });
  } catch (error) {
    if (signal.aborted) return { kind: "noResponse", reason: "called off" };
    return reply === null ? { kind: "noResponse", reason: reasonOf(error) } : answered(reply, null);
  }
}

const CALLED_OFF_BEFORE = "called off before it was sent";

function answered({ status, headers }: Reply, text: string | null): Exchange {
  return { kind: "answered", status, headers, text };
}

type Answered = Extract<Exchange, { kind: "answered" }>;

/** What a reading call came to. */
export function answerIn<T>(response: Exchange, schema: z.ZodType<T>): Answer<T> {
  if (response.kind === "noResponse") return unavailable(response.reason, "no");
  if (!succeeded(response.status)) return nothingDone(failureIn(response));
  const body = bodyIn(response);
  if (body === undefined) return unavailable("the answer is not JSON", "no");
  const read = schema.safeParse(body);
  if (read.success) return ok(read.data);
  const [issue] = read.error.issues;
  return unavailable(`the answer is not what was asked for: ${issue?.path.join(".")}: ${issue?.message}`, "no");
}

/** Nothing comes of a call that only reads. */
function nothingDone(failure: Failure): Failure {
  return failure.kind === "unavailable" ? { ...failure, done: "no" } : failure;
}

/** What an answer other than 2xx says: its status decides, its body may add what is wrong with which field (A2). */
function failureIn({ status, headers, text }: Answered): Failure {
  const { detail, errors: fields } = problemSchema.safeParse(jsonIn(text)).data ?? { detail: null, errors: [] };
  if (status === 401 || status === 403) return { kind: "unauthorized" };
  if (status === 404) return { kind: "notFound", detail };
  if (status === 409) return { kind: "conflict", detail, fields };
  if (status === 429) return { kind: "limited", retryAfterMs: retryAfterMs(headers) };
  if (status === PROXY_LOGIN_STATUS) return unavailable(WANTS_LOGIN, "no");
  if (isTransient(status)) return unavailable(`HTTP ${status}`, "unknown", retryAfterMs(headers));
  if (status < 400) return unavailable(`redirected too often or nowhere (HTTP ${status})`, "no");
  return { kind: "invalid", status, detail, fields };
}

/** Whether to ask again for what is only read: no answer, a broken one, or a transient status without a wait named. */
export function isWorthRetrying(response: Exchange): boolean {
  if (response.kind === "noResponse") return true;
  if (succeeded(response.status)) return response.text === null || bodyIn(response) === undefined;
  return isTransient(response.status) && retryAfterMs(response.headers) === null;
}

/** The JSON of an answer's body; undefined where it is none. */
export function bodyIn({ text }: Answered): unknown {
  return jsonIn(text);
}

function unavailable(reason: string, done: "no" | "yes" | "unknown", waitMs: number | null = null): Failure {
  return { kind: "unavailable", reason, retryAfterMs: waitMs, done };
}

function jsonIn(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** How to tell what came of a call that writes. */
export interface Writing<T> {
  readonly creates: boolean;
  /** The object in the answer's body, or null where it is not there as a whole (A3). */
  readonly read: (body: unknown) => T | null;
  /** Asks for the object as it now is; null where it cannot be known which one that would be. */
  readonly find: (response: Exchange) => Promise<Answer<T>> | null;
  /** Whether an object is as the call was to make it. */
  readonly isDone: (value: T) => boolean;
}

/**
 * What came of a call that was sent once. An answer that says it was done but not what is there now, and no answer at
 * all, are settled by asking for the object (A3). So is the refusal to create what is there already (B1): an object as
 * it was sent is the one that was to be created, any other is a conflict.
 */
export async function settle<T>(response: Exchange, writing: Writing<T>): Promise<Answer<T>> {
  if (response.kind === "answered" && succeeded(response.status)) return readBack(response, writing);
  if (response.kind === "noResponse" && NEVER_SENT.has(response.reason)) return unavailable(response.reason, "no");
  if (response.kind === "noResponse" || isTransient(response.status)) return compare(response, writing);
  if (MOVED.has(response.status)) return movedIn(response);
  // Any other redirect, "See Other" above all, comes after a change that was made as well as after one that was not.
  if (response.status < 400) return compare(response, writing);
  const failure = failureIn(response);
  if (!writing.creates || (failure.kind !== "invalid" && failure.kind !== "conflict")) return failure;
  const found = await writing.find(response);
  if (found?.kind !== "ok") return found === null || found.kind === "notFound" ? noConflict(failure) : failure;
  return writing.isDone(found.value) ? found : { kind: "conflict", detail: failure.detail, fields: failure.fields };
}

/** A 409 where nothing of that identifier is there has another reason, such as that there are too many already. */
function noConflict(failure: Failure): Failure {
  return failure.kind === "conflict" ? { ...failure, kind: "invalid", status: 409 } : failure;
}

/** What says that a service is elsewhere. A change is not sent on from there: it might become a GET on its way, and be lost. */
const MOVED: ReadonlySet<number> = new Set([301, 302, 307, 308]);

/** Of where it leads only the origin is told: the path holds the organization token. */
function movedIn({ status, headers }: Answered): Failure {
  const to = headers.get("location") ?? "";
  const where = /^https?:/i.test(to) && URL.canParse(to) ? `to ${new URL(to).origin}` : "elsewhere";
  return unavailable(`it redirects ${where} (HTTP ${status}), so baseUrl has to be mended`, "no");
}

/** What goes wrong before a request leaves, so that nothing can have come of it. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
  ...["CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY", CALLED_OFF_BEFORE],
]);

/** What stands in the service's way may say that it was done, too: what is there now tells. */
async function readBack<T>(response: Answered, writing: Writing<T>): Promise<Answer<T>> {
  const value = writing.read(bodyIn(response));
  if (value !== null) return ok(value);
  const found = await writing.find(response);
  const told = isHtml(response, response.text ?? "") ? "unknown" : "yes";
  if (found === null) return unavailable("the service did not say which identifier it chose", told);
  if (found.kind === "notFound") return unavailable("it answered as if it was done, and it is not", "no");
  if (found.kind !== "ok") return unavailable(`it cannot be read back: ${reasonIn(found)}`, told);
  if (writing.isDone(found.value)) return found;
  if (writing.creates) return OTHER_IS_THERE;
  return unavailable("it answered as if it was done, and what is there is not as it was sent", "unknown");
}

const OTHER_IS_THERE: Failure = { kind: "conflict", detail: null, fields: [] };

async function compare<T>(response: Exchange, writing: Writing<T>): Promise<Answer<T>> {
  const failure = response.kind === "noResponse" ? unavailable(response.reason, "unknown") : failureIn(response);
  if (failure.kind !== "unavailable") return failure;
  // A service that names a wait is not asked again before it.
  const found = failure.retryAfterMs === null ? await writing.find(response) : null;
  if (found?.kind === "ok" && writing.isDone(found.value)) return found;
  if (found?.kind === "ok" && writing.creates) return OTHER_IS_THERE;
  const settled = found?.kind === "ok" || found?.kind === "notFound";
  return { ...failure, done: settled ? "no" : "unknown" };
}

function reasonIn(answer: Exclude<Answer<unknown>, { kind: "ok" }>): string {
  return answer.kind === "unavailable" ? answer.reason : answer.kind;
}

/** How often something is tried in all, and the wait before the second try; each later wait is about twice as long. */
interface Tries {
  readonly most: number;
  readonly firstWaitMs: number;
}

/**
 * Asks again, later each time, for as long as the answer is one to try again for; what came of the last try, or `null`
 * where it was called off between two.
 */
export async function retryWhile<T>(
  ask: () => Promise<T>,
  isWorthRetrying: (answer: T) => boolean,
  { most, firstWaitMs }: Tries,
  signal: AbortSignal,
): Promise<T | null> {
  const attempt = async () => {
    const answer = await ask();
    if (isWorthRetrying(answer)) throw new Faltered(answer);
    return answer;
  };
  try {
    return await pRetry(attempt, { retries: most - 1, minTimeout: firstWaitMs, randomize: true, signal });
  } catch (error) {
    if (error instanceof Faltered) return error.answer as T;
    if (signal.aborted) return null;
    throw error;
  }
}

/** Carries an answer through p-retry, which retries what is thrown. */
class Faltered extends Error {
  readonly answer: unknown;

  constructor(answer: unknown) {
    super("worth another try");
    this.answer = answer;
  }
}
