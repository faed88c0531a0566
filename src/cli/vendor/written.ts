import leven from "leven";
import { type Column, columnNamed, READ_ONLY, simplified } from "./columns.ts";
import type { Flaw } from "./flaws.ts";

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
    const value = flags[camelCased(column.flag)];
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
      if (!READ_ONLY.includes(name)) unknown.push({ where: name, message: strangeColumn(columns, name), kind: "data" });
      return [];
    }
    const isSaid = value !== "" && (value !== null || column.read(null).kind === "fields");
    return isSaid ? [{ column, name, value }] : [];
  });
  return read(columns, given, "data", unknown);
}

/** What one says goes over what the other says. */
export function overlaidBy(below: Written, above: Written): Written {
  return {
    fields: { ...below.fields, ...above.fields },
    flaws: [...below.flaws, ...above.flaws],
    nameOf: (field) => (field in below.fields && !(field in above.fields) ? below : above).nameOf(field),
  };
}

/** Why a name is no column, with the nearest that is. */
export function strangeColumn(columns: readonly Column[], name: string): string {
  const names = columns.flatMap(({ fields, flag }) => [...(fields.length === 1 ? fields : []), flag]);
  const distance = (known: string) => leven(simplified(known), simplified(name));
  const nearest = names.reduce((best, known) => (distance(known) < distance(best) ? known : best));
  return `is not a column; the nearest is ${nearest}`;
}

interface Given {
  readonly column: Column;
  readonly name: string;
  readonly value: unknown;
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

function camelCased(flag: string): string {
  return flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
