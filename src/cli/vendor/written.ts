import leven from "leven";
import type { FieldError } from "../../core/inventory/rules.ts";
import { readJson } from "../../player/config/file.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { textFrom } from "../text.ts";
import { endIfFlawed, type Flaw } from "./calls.ts";
import { type Column, columnNamed, isReadOnly, simplified } from "./columns.ts";
import type { ConnectionFlags } from "./connection.ts";

/** What was said about a location or a screen: fields under the contract's names, and what could not be read. */
export interface Written {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly flaws: readonly Flaw[];
  /** What the user called a field: `--lat`, or the name in the file. */
  readonly nameOf: (field: string) => string;
}

/** Reads the flags of a command, as commander has them: `{ venueType: "401" }`. */
export function readFlags(columns: readonly Column[], flags: Readonly<Record<string, unknown>>): Written {
  const given = columns.flatMap((column) => {
    const value = flags[keyOf(column.flag)];
    return typeof value === "string" ? [{ column, name: `--${column.flag}`, value }] : [];
  });
  return read(columns, given, "usage", []);
}

/** Reads one row of a file. What is null or empty is not said, but for what can be cleared in JSON by null (A12). */
export function readRecord(columns: readonly Column[], record: Readonly<Record<string, unknown>>): Written {
  const unknown: Flaw[] = [];
  const given = Object.entries(record).flatMap(([name, value]) => {
    const column = columnNamed(columns, name);
    if (column === null) {
      if (!isReadOnly(name)) unknown.push({ where: name, message: strangeColumn(columns, name), kind: "data" });
      return [];
    }
    const isSaid = value !== "" && (value !== null || column.read(null).kind === "fields");
    return isSaid ? [{ column, name, value }] : [];
  });
  const twice = saidTwice(given).map((flaw): Flaw => ({ ...flaw, kind: "data" }));
  return read(columns, given, "data", [...unknown, ...twice]);
}

/** What one says goes over what the other says. */
function overlaidBy(below: Written, above: Written): Written {
  return {
    fields: { ...below.fields, ...above.fields },
    flaws: [...below.flaws, ...above.flaws],
    nameOf: (field) => (field in below.fields && !(field in above.fields) ? below : above).nameOf(field),
  };
}

/** What every command is told that creates or changes a location or a screen. */
export interface WriteFlags extends ConnectionFlags {
  readonly from?: string;
  readonly dryRun?: true;
  readonly check: boolean;
}

/** The fields from `--from` with those of the flags over them. */
export function writtenBy(columns: readonly Column[], flags: WriteFlags): Written {
  const byFlags = readFlags(columns, { ...flags });
  return flags.from === undefined ? byFlags : overlaidBy(readRecord(columns, objectFrom(flags.from)), byFlags);
}

/** What cannot be read in an update; one without any field is a mistake too. */
export function updateFlaws({ fields, flaws }: Written): readonly Flaw[] {
  return flaws.length === 0 && Object.keys(fields).length === 0 ? [NOTHING_TO_CHANGE] : flaws;
}

const NOTHING_TO_CHANGE: Flaw = {
  where: "",
  message: "There is nothing to change. Give --title or another field.",
  kind: "usage",
};

/**
 * Ends the command if something cannot be read, and names with it which rules the other fields break: all mistakes
 * are told at once, before the service is asked.
 */
export function endIfUnclear(flaws: readonly Flaw[], { nameOf }: Written, complaints: readonly FieldError[]): void {
  if (flaws.length === 0) return;
  const wrong = complaints.map(({ field, message }): Flaw => ({ where: nameOf(field), message, kind: "data" }));
  endIfFlawed([...flaws, ...wrong]);
}

/** Why a name is no column, with the nearest that is. */
export function strangeColumn(columns: readonly Column[], name: string): string {
  const names = columns.flatMap(({ fields, flag }) => [...(fields.length === 1 ? fields : []), flag]);
  const distance = (known: string) => leven(simplified(known), simplified(name));
  const nearest = names.reduce((best, known) => (distance(known) < distance(best) ? known : best));
  return `is not a column; the nearest is ${nearest}`;
}

interface Named {
  readonly column: Column;
  readonly name: string;
}

interface Given extends Named {
  readonly value: unknown;
}

/** Which names say again what one before them says: of two, the last would win without a word. */
export function saidTwice(named: readonly Named[]): Omit<Flaw, "kind">[] {
  return named.flatMap(({ column, name }, at) => {
    const other = named.slice(0, at).find((before) => sayTheSame(before.column, column));
    if (other === undefined) return [];
    return [{ where: name, message: other.name === name ? "is there twice" : `says the same as ${other.name}` }];
  });
}

/** A size is a width too; but a screen's title is not its location's. */
function sayTheSame(one: Column, other: Column): boolean {
  const isShared = one.fields.some((field) => other.fields.includes(field));
  return one === other || (isShared && one.fields.length !== other.fields.length);
}

function read(
  columns: readonly Column[],
  given: readonly Given[],
  kind: Flaw["kind"],
  unknown: readonly Flaw[],
): Written {
  const fields: Record<string, unknown> = {};
  const flaws: Flaw[] = [...unknown];
  const names = new Map<string, string>();
  for (const { column, name, value } of given) {
    for (const field of column.fields) names.set(field, name);
    const reading = column.read(value);
    if (reading.kind === "fields") Object.assign(fields, reading.fields);
    else flaws.push({ where: name, message: reading.message, kind });
  }
  const flagOf = (field: string) => columns.find(({ fields }) => fields.includes(field))?.flag;
  const nameless = (field: string) => (kind === "usage" && flagOf(field) !== undefined ? `--${flagOf(field)}` : field);
  return { fields, flaws, nameOf: (field) => names.get(field) ?? nameless(field) };
}

/** `venueType` for `--venue-type`, with the dashes or without, as commander calls it. */
export function keyOf(flag: string): string {
  return flag.replace(/^--/, "").replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Larger than any object of the service. */
const LARGEST_BYTES = 1024 * 1024;

/** One object from a JSON file, or from standard input for `-`; ends the command where there is none. */
function objectFrom(file: string): Readonly<Record<string, unknown>> {
  const name = file === "-" ? "standard input" : file;
  const json = readJson(textFrom(file === "-" ? STANDARD_INPUT : file, name, LARGEST_BYTES));
  if (json.kind === "broken")
    throw bad(`line ${json.line}, column ${json.column} of ${name} is not JSON: ${json.problem}`);
  const { value } = json;
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw bad(`${name} must hold one object`);
  return { ...value };
}

const STANDARD_INPUT = 0;

function bad(message: string): CommandFailure {
  return new CommandFailure(message, exitCodes.data);
}

/** Where it is said what a flag would say: `setup.json: lat` for `--lat`. Empty where the flags themselves say it. */
export type Sayings = ReadonlyMap<string, string>;

/** The sayings of a file that has these keys; the flags among `overruled` say it themselves. */
export function sayingsOf(file: string, keys: readonly string[], overruled: object): Sayings {
  const said = keys.filter((key) => !(key in overruled));
  return new Map(said.map((key) => [flagOf(key), `${file}: ${key}`]));
}

/** What was written, its flaws and fields named by where they were said. */
export function asSaid(written: Written, sayings: Sayings = new Map()): Written {
  const saying = (name: string) => sayings.get(name) ?? name;
  return {
    fields: written.fields,
    flaws: written.flaws.map((flaw) => ({ ...flaw, where: saying(flaw.where) })),
    nameOf: (field) => saying(written.nameOf(field)),
  };
}

/** `--venue-type` for `venueType`. */
export function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
