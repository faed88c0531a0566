import type { z } from "zod";
import { problemSchema } from "../wire/inventory-answers.ts";
import { type Answer, type Failure, ok } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { retryAfterMs } from "./retry-after.ts";

type Answered = Extract<Exchange, { kind: "answered" }>;

/** What a reading call came to. */
export function answerIn<T>(said: Exchange, schema: z.ZodType<T>): Answer<T> {
  if (said.kind === "silent") return unavailable(said.reason, "no");
  if (!succeeded(said.status)) return nothingDone(failureIn(said));
  const body = bodyIn(said);
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
export function failureIn({ status, headers, text }: Answered): Failure {
  const { detail, errors: fields } = problemSchema.safeParse(jsonIn(text)).data ?? { detail: null, errors: [] };
  if (status === 401 || status === 403) return { kind: "unauthorized" };
  if (status === 404) return { kind: "notFound", detail };
  if (status === 409) return { kind: "conflict", detail, fields };
  if (status === 429) return { kind: "limited", retryAfterMs: retryAfterMs(headers) };
  if (isPassing(status)) return unavailable(`HTTP ${status}`, "unknown", retryAfterMs(headers));
  if (status < 400) return unavailable(`redirected too often or nowhere (HTTP ${status})`, "no");
  return { kind: "invalid", status, detail, fields };
}

/** The JSON of an answer's body; undefined where it is none. */
export function bodyIn({ text }: Answered): unknown {
  return jsonIn(text);
}

export function unavailable(reason: string, done: "no" | "yes" | "unknown", waitMs: number | null = null): Failure {
  return { kind: "unavailable", reason, retryAfterMs: waitMs, done };
}

export function succeeded(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Statuses that may be different next time, beside 429. */
export function isPassing(status: number): boolean {
  return status === 408 || status === 425 || status >= 500;
}

function jsonIn(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
