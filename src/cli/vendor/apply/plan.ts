import type { Answer, Failure } from "../../../client/answer.ts";
import { differences, type Effect } from "../../../core/inventory/changes.ts";
import type { FieldError } from "../../../core/inventory/rule-result.ts";
import { exitCodes } from "../../exit.ts";
import { failureCode, failureText, flawText } from "../calls.ts";
import { readRecord, type Written } from "../written.ts";
import type { Fields, Kind, Standing } from "./kinds.ts";
import type { Row } from "./rows.ts";

/** What is to become of one row. */
export type Step =
  | {
      readonly kind: "create";
      readonly where: string;
      readonly id: string;
      readonly fields: Fields;
      /** Once it is done; null before, and for screens. */
      readonly standing: Standing | null;
    }
  | {
      readonly kind: "update";
      readonly where: string;
      readonly id: string;
      /** The fields that differ, as they were and as they are to be. */
      readonly before: Fields;
      readonly change: Fields;
      readonly effects: readonly Effect[];
      /** Once it is done; null before, and for screens. */
      readonly standing: Standing | null;
    }
  | { readonly kind: "same"; readonly id: string; readonly standing: Standing | null }
  | RowFailure;

/** A row that nothing could be done about. */
export interface RowFailure {
  readonly kind: "failed";
  readonly where: string;
  readonly id: string;
  readonly text: string;
  /** The exit code that its failure alone would end with. */
  readonly code: number;
}

/** Compares a row with what is there; nothing is changed by it. `seen`: where each identifier stood first. */
export async function planned<S extends object>(row: Row, kind: Kind<S>, seen: Map<string, string>): Promise<Step> {
  if (row.problem !== null) return rowFailure(row, "", row.problem);
  const written = readRecord(kind.columns, row.record);
  const id = String(written.fields[kind.idField] ?? "");
  const flaws = [...unfitId(id, row, kind, seen), ...written.flaws];
  if (flaws.length > 0) {
    const complaints = kind.complaints(written.fields);
    return rowFailure(row, id, flawText([...flaws, ...complaints.map((complaint) => named(complaint, written))]));
  }
  const stored = await kind.get(id);
  if (stored.kind === "notFound") return creationOf(row, id, written, kind);
  if (stored.kind !== "ok") return failed(row, id, stored, written.nameOf);
  return updateOf(row, id, written, stored.value, kind);
}

/** Carries out a step; what came of it is the step itself, or why not. */
export async function carriedOut<S extends object>(step: Step, kind: Kind<S>): Promise<Step> {
  const answer = await act(step, kind);
  if (answer === null || step.kind === "same" || step.kind === "failed") return step;
  if (answer.kind === "ok") return { ...step, standing: kind.standing(answer.value) };
  return failed(step, step.id, answer, (field) => field);
}

async function act<S extends object>(step: Step, kind: Kind<S>): Promise<Answer<S> | null> {
  if (step.kind === "create") return kind.create(step.fields);
  return step.kind === "update" ? kind.update(step.id, step.change) : null;
}

async function creationOf<S extends object>(row: Row, id: string, written: Written, kind: Kind<S>): Promise<Step> {
  const { fields, nameOf } = written;
  const missing = kind.required.filter((field) => fields[field] === undefined);
  const checked = await kind.checkNew(fields);
  if (checked.kind !== "ok" && checked.kind !== "invalid") return failed(row, id, checked, nameOf);
  const flaws = [
    ...missing.map((field) => ({ where: nameOf(field), message: "is missing" })),
    ...(checked.kind === "ok" ? [] : checked.fields.map((complaint) => named(complaint, written))),
  ];
  return flaws.length > 0
    ? rowFailure(row, id, flawText(flaws))
    : { kind: "create", where: row.where, id, fields, standing: null };
}

async function updateOf<S extends object>(
  row: Row,
  id: string,
  { fields, nameOf }: Written,
  stored: S,
  kind: Kind<S>,
): Promise<Step> {
  const changed = differences(stored, fields);
  if (changed.length === 0) return { kind: "same", id, standing: kind.standing(stored) };
  const change = Object.fromEntries(changed.map(({ field, to }) => [field, to]));
  const checked = await kind.checkChange(id, stored, change);
  if (checked.kind !== "ok") return failed(row, id, checked, nameOf);
  const before = Object.fromEntries(changed.map(({ field, from }) => [field, from]));
  const effects = kind.effects(stored, change);
  return { kind: "update", where: row.where, id, before, change, effects, standing: null };
}

/** Without an identifier a second run could not know what the first one made; with the same one twice neither. */
function unfitId<S extends object>(id: string, { where }: Row, { idField }: Kind<S>, seen: Map<string, string>) {
  if (id === "") return [{ where: idField, message: "is missing" }];
  const before = seen.get(id);
  if (before === undefined) seen.set(id, where);
  return before === undefined ? [] : [{ where: idField, message: `${id} is in ${before} already` }];
}

function named({ field, message }: FieldError, { nameOf }: Written) {
  return { where: nameOf(field), message };
}

function failed(
  { where }: { readonly where: string },
  id: string,
  failure: Failure,
  nameOf: (field: string) => string,
): RowFailure {
  const text = failureText(failure, { what: id, nameOf });
  return { kind: "failed", where, id, text: onOneLine(text), code: failureCode(failure) };
}

function rowFailure({ where }: Row, id: string, text: string): RowFailure {
  return { kind: "failed", where, id, text: onOneLine(text), code: exitCodes.data };
}

/** A report has a line for each row. */
function onOneLine(text: string): string {
  return text.replace(/^\d+ problems:\n\s+/m, "").replace(/\n\s*/g, "; ");
}
