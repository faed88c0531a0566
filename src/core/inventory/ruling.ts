/** What is wrong with one field of a request. */
export interface Complaint {
  readonly field: string;
  readonly message: string;
}

/**
 * Why the rules refuse a request: `impossible` contradicts the state that things are in (answered 400), `unfit` breaks a
 * rule that spans several fields or objects (422). `code` is a word for machines, such as `not_level_2` (A1, A7).
 */
export interface Refusal {
  readonly kind: "impossible" | "unfit";
  readonly code: string;
  readonly complaints: readonly Complaint[];
}

/** What the rules make of a request: the value as it then is, or why everything stays as it was. */
export type Ruling<T> = { readonly kind: "ruled"; readonly value: T } | Refusal;

export function ruled<T>(value: T): Ruling<T> {
  return { kind: "ruled", value };
}

/** A refusal because of one field. */
export function refused(kind: Refusal["kind"], code: string, field: string, message: string): Refusal {
  return { kind, code, complaints: [{ field, message }] };
}
