import type { Context } from "hono";
import type { z } from "zod";
import { type Env, problem } from "../http/answers.ts";
import { fitting, readJson, type Sent, sentText } from "../http/body.ts";
import type { Network } from "../network.ts";

/** The most ignored fields that one call is noted with. */
const MOST_NOTED = 20;

/** Reads the JSON object that came with a request; what the contract does not name is noted or refused (A7-A9). */
export async function sentObject<S extends z.ZodObject>(
  c: Context<Env>,
  network: Network,
  schema: S,
): Promise<Sent<z.infer<S>>> {
  const type = c.req.header("content-type");
  if (type !== undefined && !isJson(type)) return notJson(c);
  const text = await sentText(c);
  if (text.kind === "refused") return text;
  if (text.value.trim() === "") return refusedBody(c, "no_body", "a JSON object is expected");
  if (type === undefined) return notJson(c);
  const sent = readJson(c, text.value);
  if (sent.kind === "refused") return sent;
  if (!isObject(sent.value)) return refusedBody(c, "not_an_object", "the body is not a JSON object");
  const strangers = Object.keys(sent.value).filter((field) => !Object.hasOwn(schema.shape, field));
  if (strangers.length > 0 && network.state.switches.unknownFields === "reject") return unknownFields(c, strangers);
  c.get("note").warnings.push(...strangers.slice(0, MOST_NOTED).map((field) => `ignored field ${shortened(field)}`));
  return fitting(c, sent.value, schema) as Sent<z.infer<S>>;
}

function isJson(contentType: string): boolean {
  return contentType.split(";", 1)[0]?.trim().toLowerCase() === "application/json";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function notJson(c: Context<Env>): Sent<never> {
  const detail = "the body is to be sent as application/json";
  return { kind: "refused", answer: problem(c, 415, "unsupported_media_type", detail) };
}

function refusedBody(c: Context<Env>, code: string, detail: string): Sent<never> {
  return { kind: "refused", answer: problem(c, 400, code, detail) };
}

function unknownFields(c: Context<Env>, fields: readonly string[]): Sent<never> {
  const errors = fields.slice(0, MOST_NOTED).map((field) => {
    return { field: shortened(field), message: "is not known or cannot be written" };
  });
  const detail = `not known or not writable: ${errors.map(({ field }) => field).join(", ")}`;
  return { kind: "refused", answer: problem(c, 400, "unknown_field", detail, errors) };
}

function shortened(field: string): string {
  return field.slice(0, 64);
}
