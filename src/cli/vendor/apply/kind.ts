import type { Answer } from "../../../client/answer.ts";
import type { Effect } from "../../../core/effects.ts";
import type { Complaint } from "../../../core/ruling.ts";
import type { Column } from "../columns.ts";

/** What can be applied: locations or screens. `S` as the service has one. */
export interface Kind<S extends object> {
  readonly what: "location" | "screen";
  readonly columns: readonly Column[];
  /** The contract's name of its identifier. */
  readonly idField: string;
  /** The contract's names of what one needs to be created. */
  readonly required: readonly string[];
  /** What is wrong with fields whatever is there already. */
  complaints(fields: Fields): readonly Complaint[];
  get(id: string): Promise<Answer<S>>;
  /** Whether one can be created so, as far as that can be told before asking. */
  checkNew(fields: Fields): Promise<Answer<unknown>>;
  checkChange(id: string, stored: S, change: Fields): Promise<Answer<unknown>>;
  effects(stored: S, change: Fields): readonly Effect[];
  create(fields: Fields): Promise<Answer<S>>;
  update(id: string, change: Fields): Promise<Answer<S>>;
}

/** Under the contract's names. */
export type Fields = Readonly<Record<string, unknown>>;
