import type { Context } from "hono";
import type { z } from "zod";
import { type Env, problem } from "../http/answers.ts";
import { dotted } from "../world/read.ts";

/** What was sent with a control call, or the answer that refuses it (A7, A8). */
export type Sent<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "refused"; readonly answer: Response };

/** Bodies beyond this are refused (A20). */
const MOST_BODY_BYTES = 1024 * 1024;

/** Reads a JSON body. */
export async function sentBody<T>(c: Context<Env>, schema: z.ZodType<T>): Promise<Sent<T>> {
  const text = await limitedText(c.req.raw.body);
  if (text === null) return { kind: "refused", answer: problem(c, 413, "too_large", "the body has more than 1 MiB") };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { kind: "refused", answer: problem(c, 400, "invalid_json", "the body is not JSON") };
  }
  return fitting(c, body, schema);
}

/**
 * `null` for a body that is too long, whose rest is left to the server to drain. Hono's own body limit cannot be used:
 * it builds a new Request out of the server's light one, which only works where that has replaced the global Request.
 */
async function limitedText(body: ReadableStream<Uint8Array> | null): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  const reader = body?.getReader();
  for (let piece = await reader?.read(); piece !== undefined && !piece.done; piece = await reader?.read()) {
    sizeBytes += piece.value.length;
    if (sizeBytes > MOST_BODY_BYTES) return null;
    chunks.push(piece.value);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Reads the query. */
export function sentQuery<T>(c: Context<Env>, schema: z.ZodType<T>): Sent<T> {
  return fitting(c, c.req.query(), schema);
}

function fitting<T>(c: Context<Env>, sent: unknown, schema: z.ZodType<T>): Sent<T> {
  const read = schema.safeParse(sent);
  if (read.success) return { kind: "read", value: read.data };
  const errors = read.error.issues.map((issue) => ({ field: dotted(issue.path), message: issue.message }));
  const detail = errors.map(({ field, message }) => `${field || "the body"}: ${message}`).join("; ");
  return { kind: "refused", answer: problem(c, 400, "invalid", detail, errors) };
}
