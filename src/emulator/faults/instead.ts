import { errorBody } from "../../wire/errors.ts";
import type { ActiveFault } from "./choose.ts";

/** An answer that takes the network's place, or that there will be none. */
export type Instead =
  | { readonly kind: "reset" | "hang" }
  | { readonly kind: "answer"; readonly status: number; readonly body: string | null; readonly headers: Headers };

/** What a rule answers by itself; `null` when the network is to do so. `target`: path and query of the call. */
export function insteadOf({ name, do: mischief }: ActiveFault, target: string): Instead | null {
  const { reset, hang, redirect, empty, status, retryAfter } = mischief;
  if (reset) return { kind: "reset" };
  if (hang) return { kind: "hang" };
  if (redirect !== undefined) {
    const location = redirect === true || redirect === "loop" ? target : redirect;
    return { kind: "answer", status: 302, body: null, headers: new Headers({ location }) };
  }
  if (empty) return { kind: "answer", status: 204, body: null, headers: new Headers() };
  if (status === undefined && retryAfter === undefined) return null;
  const headers = new Headers(retryAfter === undefined ? {} : { "retry-after": String(retryAfter) });
  return { kind: "answer", ...told(name, status ?? 429, mischief.body, headers) };
}

/** Statuses that have no body (RFC 9110, 15). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function told(name: string, status: number, body: unknown, headers: Headers) {
  if (BODILESS.has(status)) return { status, body: null, headers };
  if (typeof body === "string") {
    headers.set("content-type", "text/plain; charset=utf-8");
    return { status, body, headers };
  }
  headers.set("content-type", "application/json");
  const usual = status < 400 ? {} : errorBody(status, "fault", `the fault "${name}" is in force`);
  return { status, body: JSON.stringify(body === undefined ? usual : body), headers };
}
