/** What is wrong with one field of a request. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/**
 * Why the rules refuse a request: `conflict` contradicts the state that things are in (answered 400), `unprocessable`
 * breaks a rule that spans several fields or objects (422). `code` is a word for machines, such as `not_level_2` (A1, A7).
 */
export interface Refusal {
  readonly kind: "conflict" | "unprocessable";
  readonly code: string;
  readonly complaints: readonly FieldError[];
}

/** What the rules make of a request: the value as it then is, or why everything stays as it was. */
export type RuleResult<T> = { readonly kind: "accepted"; readonly value: T } | Refusal;

export function accepted<T>(value: T): RuleResult<T> {
  return { kind: "accepted", value };
}

/** A refusal because of one field. */
export function refused(kind: Refusal["kind"], code: string, field: string, message: string): Refusal {
  return { kind, code, complaints: [{ field, message }] };
}
