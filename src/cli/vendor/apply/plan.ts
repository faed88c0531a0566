import { type Answer, type Failure, ok } from "../../../client/answer.ts";
import {
  checkLocationUpdate,
  checkNewLocation,
  checkNewScreen,
  checkScreenUpdate,
  type NewLocation,
  type NewScreen,
  type Reader,
} from "../../../client/checks.ts";
import { differences, type Effect, locationEffects, screenEffects } from "../../../core/inventory/changes.ts";
import { locationComplaints, screenComplaints } from "../../../core/inventory/check.ts";
import {
  type FieldError,
  type LocationStatus,
  missingForReview,
  type ReviewedLocation,
  type VenueTree,
} from "../../../core/inventory/rules.ts";
import type { Location, Screen } from "../../../wire/inventory.ts";
import { exitCodes } from "../../command-line.ts";
import { failureCode, failureText, flawText, type Pace } from "../calls.ts";
import { type Column, locationColumns, screenColumns } from "../columns.ts";
import type { Connection } from "../connection.ts";
import { readRecord, type Written } from "../written.ts";
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

/** What can be applied: locations or screens. `S` as the service has one. */
export interface Kind<S extends object> {
  readonly what: "location" | "screen";
  readonly columns: readonly Column[];
  /** The contract's name of its identifier. */
  readonly idField: string;
  /** The contract's names of what one needs to be created. */
  readonly required: readonly string[];
  /** What only an update can set, the contract's name and ours, and when: left out of what is created. */
  readonly onlyUpdated: readonly { readonly field: string; readonly flag: string; readonly when: string }[];
  /** What is wrong with fields whatever is there already. */
  complaints(fields: Fields): readonly FieldError[];
  get(id: string): Promise<Answer<S>>;
  /** Whether one can be created so, as far as that can be told before asking. */
  checkNew(fields: Fields): Promise<Answer<unknown>>;
  checkChange(id: string, stored: S, change: Fields): Promise<Answer<unknown>>;
  effects(stored: S, change: Fields): readonly Effect[];
  /** Where it stands in the operator's review; null for what is not reviewed. */
  standing(stored: S): Standing | null;
  create(fields: Fields): Promise<Answer<S>>;
  update(id: string, change: Fields): Promise<Answer<S>>;
}

/** Under the contract's names. */
type Fields = Readonly<Record<string, unknown>>;

/** Where a location stands in the operator's review, and what it lacks for it, under the contract's names. */
export interface Standing {
  readonly status: LocationStatus;
  readonly lacks: readonly string[];
}

/** Locations, read and written at a pace. */
export function locationKind(connection: Connection, pace: Pace): Kind<Location> {
  const { service, signal } = connection;
  const reader = remembering(connection, pace);
  return {
    what: "location",
    columns: locationColumns,
    idField: "location_id",
    required: ["location_id", "title"],
    onlyUpdated: [{ field: "available_for_ads", flag: "available-for-ads", when: "APPROVED" }],
    complaints: (fields) => locationComplaints(fields, null),
    get: (id) => pace.call(() => service.getLocation(id, signal)),
    checkNew: (fields) => checkNewLocation(reader, creation(fields), signal),
    checkChange: (id, stored, change) =>
      checkLocationUpdate({ ...reader, getLocation: async () => ok(stored) }, id, change, signal),
    effects: (stored, change) => locationEffects(stored, change),
    standing: standingOf,
    create: (fields) => pace.call(() => service.createLocation(creation(fields), signal)),
    update: (id, change) => pace.call(() => service.updateLocation(id, change, signal)),
  };
}

/** Screens, read and written at a pace; of their locations each is read once. */
export function screenKind(connection: Connection, pace: Pace): Kind<Screen> {
  const { service, signal } = connection;
  const reader = remembering(connection, pace);
  return {
    what: "screen",
    columns: screenColumns,
    idField: "screen_id",
    required: ["screen_id", "title", "location_id", "venue_type_id", "width", "height", "loop_duration"],
    onlyUpdated: [],
    complaints: (fields) => screenComplaints(fields, null, undefined, null),
    get: (id) => pace.call(() => service.getScreen(id, signal)),
    checkNew: (fields) => checkNewScreen(reader, fields as unknown as NewScreen, signal),
    checkChange: (id, stored, change) =>
      checkScreenUpdate({ ...reader, getScreen: async () => ok(stored) }, id, change, signal),
    effects: (stored, change) => screenEffects(stored, change),
    standing: () => null,
    create: (fields) => pace.call(() => service.createScreen(fields as unknown as NewScreen, signal)),
    update: (id, change) => pace.call(() => service.updateScreen(id, change, signal)),
  };
}

/** Only an update can set `available_for_ads` of a location (contract, "Location"; B7). */
function creation({ available_for_ads: _, ...fields }: Fields): NewLocation {
  return fields as unknown as NewLocation;
}

/** Reads each location, and the venue types, once and keeps them: thousands of rows name the same few. */
function remembering({ reader, signal }: Connection, pace: Pace): Reader {
  const locations = new Map<string, Promise<Answer<Location>>>();
  const trees = new Map<boolean, Promise<Answer<VenueTree>>>();
  return {
    ...reader,
    getLocation: (id) => remembered(locations, id, () => pace.call(() => reader.getLocation(id, signal))),
    venueTree: (_, again = false) => remembered(trees, again, () => pace.call(() => reader.venueTree(signal, again))),
  };
}

function remembered<K, V>(kept: Map<K, V>, key: K, ask: () => V): V {
  const found = kept.get(key) ?? ask();
  kept.set(key, found);
  return found;
}

function standingOf(location: ReviewedLocation): Standing {
  return { status: location.status, lacks: missingForReview(location) };
}
