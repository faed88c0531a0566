import type { Context } from "hono";
import type { z } from "zod";
import type { Env } from "../http/answers.ts";
import { fitting, readJson, type Sent, sentText } from "../http/body.ts";

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
