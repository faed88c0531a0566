import type { Context } from "hono";
import type { z } from "zod";
import { dotted } from "../problems.ts";
import { type Env, problem } from "./answers.ts";

/** What was sent with a call, or the answer that refuses it (A7, A8). */
export type Sent<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "refused"; readonly answer: Response };

/** Bodies beyond this are refused (A20). */
const MOST_BODY_BYTES = 1024 * 1024;
/** A longer one is read on to here and thrown away: on a connection with unread bytes the next call would be reset. */
const MOST_DISCARDED_BYTES = 64 * MOST_BODY_BYTES;
/** A body that is wrong all over is told no more than this of it. */
const MOST_ERRORS = 20;

/** The path of a call, still encoded. The server has the URL written as a parser would, so nothing has to be parsed. */
export function pathnameOf(c: Context<Env>): string {
  return /^\w+:\/\/[^/]*([^?#]*)/.exec(c.req.url)?.[1] ?? "";
}

/** Reads the text of a body; empty when there is none. */
export async function sentText(c: Context<Env>): Promise<Sent<string>> {
  const reading = await limitedText(c.req.raw.body);
  switch (reading.kind) {
    case "text":
      return { kind: "read", value: reading.text };
    case "too-long":
      return { kind: "refused", answer: problem(c, 413, "too_large", "the body has more than 1 MiB") };
    case "broken":
      return { kind: "refused", answer: problem(c, 400, "invalid_json", brokenText(c)) };
  }
}

function brokenText(c: Context<Env>): string {
  const coding = c.req.header("content-encoding");
  if (coding === undefined) return "the body broke off or is not UTF-8";
  return `the body is not UTF-8: Content-Encoding ${coding.slice(0, LONGEST_CODING)} is not read here, so send it as it is`;
}

const LONGEST_CODING = 40;

/** Reads JSON out of the text of a body. */
export function readJson(c: Context<Env>, text: string): Sent<unknown> {
  try {
    return { kind: "read", value: JSON.parse(text) };
  } catch {
    return { kind: "refused", answer: problem(c, 400, "invalid_json", "the body is not JSON") };
  }
}

/** What a schema makes of what was sent. `what`: what the complaints call it as a whole. */
export function fitting<T>(c: Context<Env>, sent: unknown, schema: z.ZodType<T>, what = "the body"): Sent<T> {
  const read = schema.safeParse(sent, { error: (issue) => (issue.input === undefined ? "is required" : undefined) });
  if (read.success) return { kind: "read", value: read.data };
  const issues = read.error.issues.slice(0, MOST_ERRORS);
  const errors = issues.map((issue) => ({ field: dotted(issue.path), message: issue.message }));
  const detail = errors.map(({ field, message }) => `${field || what}: ${message}`).join("; ");
  return { kind: "refused", answer: problem(c, 400, "invalid", detail, errors) };
}

/** Reads the JSON body of a control call, whatever its content type says. */
export async function sentBody<T>(c: Context<Env>, schema: z.ZodType<T>): Promise<Sent<T>> {
  const text = await sentText(c);
  if (text.kind === "refused") return text;
  const sent = readJson(c, text.value);
  return sent.kind === "refused" ? sent : fitting(c, sent.value, schema);
}

/** Reads a body that may be left out: then it is as if `{}` had been sent. */
export async function sentOptionalBody<T>(c: Context<Env>, schema: z.ZodType<T>): Promise<Sent<T>> {
  const text = await sentText(c);
  if (text.kind === "refused") return text;
  const sent = readJson(c, text.value.trim() === "" ? "{}" : text.value);
  return sent.kind === "refused" ? sent : fitting(c, sent.value, schema);
}

/** Reads the query. */
export function sentQuery<T>(c: Context<Env>, schema: z.ZodType<T>): Sent<T> {
  return fitting(c, c.req.query(), schema, "the query");
}

type TextReading = { readonly kind: "text"; readonly text: string } | { readonly kind: "too-long" | "broken" };

async function limitedText(body: ReadableStream<Uint8Array> | null): Promise<TextReading> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    const reader = body?.getReader();
    for (let piece = await reader?.read(); piece !== undefined && !piece.done; piece = await reader?.read()) {
      sizeBytes += piece.value.length;
      if (sizeBytes <= MOST_BODY_BYTES) chunks.push(piece.value);
      if (sizeBytes > MOST_DISCARDED_BYTES) break;
    }
    if (sizeBytes > MOST_BODY_BYTES) return { kind: "too-long" };
    return { kind: "text", text: new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks)) };
  } catch {
    return { kind: "broken" };
  }
}
