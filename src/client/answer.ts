import type { FieldError } from "../core/inventory/rules.ts";

/** What came of a call: what was asked for, or why not. The status alone decides which (A2). */
export type Answer<T> = { readonly kind: "ok"; readonly value: T } | Failure;

export type Failure =
  /**
   * The request breaks a rule. `status` is null where that was found before the service was asked. `fields` and `detail`
   * are what the answer's body said about it, which may be nothing.
   */
  | {
      readonly kind: "invalid";
      readonly status: number | null;
      readonly detail: string | null;
      readonly fields: readonly FieldError[];
    }
  /** 401 or 403: the organization token is wrong. */
  | { readonly kind: "unauthorized" }
  /** 404: not there, or not this organization's (A6). */
  | { readonly kind: "notFound"; readonly detail: string | null }
  /** Something of that identifier is there already, and it is another than was to be created (B1, C3). */
  | { readonly kind: "conflict"; readonly detail: string | null; readonly fields: readonly FieldError[] }
  /** 429: nothing was done; ask again after so many milliseconds, where the service told how many (A14). */
  | { readonly kind: "limited"; readonly retryAfterMs: number | null }
  /** No answer, or none that can be read. `done` says whether what was asked for has happened all the same. */
  | {
      readonly kind: "unavailable";
      readonly reason: string;
      readonly retryAfterMs: number | null;
      readonly done: "no" | "yes" | "unknown";
    };

export function ok<T>(value: T): Answer<T> {
  return { kind: "ok", value };
}

/** A request that was found to be wrong before it was sent. */
export function invalid(fields: readonly FieldError[]): Failure {
  return { kind: "invalid", status: null, detail: null, fields };
}
