import { z } from "zod";
import type { FieldError } from "../core/inventory/rules.ts";

/** One field that the service would not take. */
export const fieldErrorSchema = z.object({ field: z.string(), message: z.string() }) satisfies z.ZodType<FieldError>;

/** The body of every error answer: also a problem document in the sense of RFC 9457 (A1). */
export const errorSchema = z.object({
  detail: z.string(),
  code: z.string(),
  status: z.int(),
  title: z.string(),
  errors: z.array(fieldErrorSchema).optional(),
});
export type ErrorBody = z.infer<typeof errorSchema>;

const TITLES: Readonly<Record<number, string>> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** Builds an error body; `errors` is there only for field problems (A1). */
export function errorBody(status: number, code: string, detail: string, errors?: readonly FieldError[]): ErrorBody {
  const body: ErrorBody = { detail, code, status, title: TITLES[status] ?? "Error" };
  return errors === undefined ? body : { ...body, errors: [...errors] };
}
