import { readOpening } from "../../core/opening-hours.ts";
import { identifierSchema } from "../../wire/inventory.ts";

/** What the text or JSON value of one column comes to: fields under the contract's names, or what is wrong with it. */
export type CellReading =
  | { readonly kind: "fields"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: "flaw"; readonly message: string };

/** One thing that can be said about a location or a screen, on a command line or in a file. */
export interface Column {
  /** The contract's names of what it holds. */
  readonly fields: readonly string[];
  /** Its flag, without the dashes. */
  readonly flag: string;
  /** What it may be called in a file besides, written without dashes, underscores and capitals. */
  readonly aliases: readonly string[];
  readonly read: (value: unknown) => CellReading;
}

/** What can be said about a location. */
export const locationColumns: readonly Column[] = [
  column("location_id", "id", text, ["location"]),
  column("title", "title", text),
  column("venue_type_id", "venue-type", text),
  column("lat", "lat", number, ["latitude"]),
  column("long", "long", number, ["longitude", "lng", "lon"]),
  column("opening_168", "open", opening, ["opening", "openinghours", "hours"]),
  column("visitors_7", "visitors", visitors),
  column("available_for_ads", "available-for-ads", yesOrNo),
  column("archived", "archived", yesOrNo),
  column("email", "email", clearable(text)),
  column("phone", "phone", clearable(text)),
];

/** What can be said about a screen. */
export const screenColumns: readonly Column[] = [
  column("screen_id", "id", text, ["screen"]),
  column("title", "title", text),
  column("location_id", "location", text),
  column("venue_type_id", "venue-type", text),
  { fields: ["width", "height"], flag: "size", aliases: ["resolution"], read: size },
  column("width", "width", wholeNumber),
  column("height", "height", wholeNumber),
  column("loop_duration", "loop", wholeNumber),
  column("amount", "amount", clearable(wholeNumber)),
  column("imps_weekly", "imps-weekly", clearable(wholeNumber)),
  column("available_for_ads", "available-for-ads", yesOrNo),
  column("archived", "archived", yesOrNo),
];

/** Why nothing can be created under an identifier, or null (A17). What is there already is called as it is. */
export function newIdFlaw(id: string): string | null {
  return identifierSchema.safeParse(id).error?.issues[0]?.message ?? null;
}

/** A column that takes what something can be created under. */
export function ofNewId(of: Column): Column {
  const read: Column["read"] = (value) => {
    const message = newIdFlaw(String(value).trim());
    return message === null ? of.read(value) : { kind: "flaw", message };
  };
  return { ...of, read };
}

/** Whether a name is of what the service tells and nobody sets: left out, so that what `get --json` prints can be applied. */
export function isReadOnly(name: string): boolean {
  return READ_ONLY.includes(simplified(name));
}

const READ_ONLY: readonly string[] = ["status", "timezone", "country", "region", "city", "zip", "address"];

/** The column that a name in a file means, or null. */
export function columnNamed(columns: readonly Column[], name: string): Column | null {
  const bare = simplified(name);
  const names = ({ fields, flag, aliases }: Column) => [
    ...(fields.length === 1 ? fields.map(simplified) : []),
    ...[simplified(flag), ...aliases],
  ];
  return columns.find((column) => names(column).includes(bare)) ?? null;
}

/** A name without capitals, dashes, underscores and spaces. */
export function simplified(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, "");
}

type Reader = (value: unknown) => unknown;

/** Thrown by a reader: what is wrong with the value. */
class Unfit extends Error {}

function column(field: string, flag: string, read: Reader, aliases: readonly string[] = []): Column {
  return {
    fields: [field],
    flag,
    aliases,
    read(value) {
      try {
        return { kind: "fields", fields: { [field]: read(value) } };
      } catch (error) {
        if (error instanceof Unfit) return { kind: "flaw", message: error.message };
        throw error;
      }
    },
  };
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  // Identifiers of digits are easily written as numbers.
  if (typeof value === "number") return String(value);
  throw new Unfit("must be a text");
}

function number(value: unknown): number {
  const found = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof found === "number" && Number.isFinite(found)) return found;
  throw new Unfit(`must be a number${typeof value === "string" ? `, and is "${value}"` : ""}`);
}

/** `5.000` and `5,000` are five to some, and five thousand to others: spreadsheets write what they show. */
const GROUPED = /^-?\d{1,3}([.,]\d{3})+$/;

function wholeNumber(value: unknown): number {
  if (typeof value !== "string" || !GROUPED.test(value.trim())) return number(value);
  throw new Unfit(`must be a number without marks in between, and is "${value}"`);
}

function yesOrNo(value: unknown): boolean {
  if (typeof value === "boolean") return value;
  const word = typeof value === "string" ? value.toLowerCase() : "";
  if (word === "yes" || word === "true" || word === "1") return true;
  if (word === "no" || word === "false" || word === "0") return false;
  throw new Unfit("must be yes or no");
}

/** An empty text, like null, takes away what is there (A12). */
function clearable(read: Reader): Reader {
  return (value) => (value === "" || value === null ? null : read(value));
}

function opening(value: unknown): readonly boolean[] {
  const hours = listIn(value);
  if (Array.isArray(hours)) return eachOf(hours, "boolean", "true and false");
  // As some export it: a digit for each hour.
  if (typeof value === "string" && /^[01]{168}$/.test(value)) return [...value].map((digit) => digit === "1");
  const reading = typeof value === "string" ? readOpening(value) : null;
  if (reading?.kind === "hours") return reading.hours;
  throw new Unfit(reading?.problems.join("; ") ?? "must be opening hours");
}

function visitors(value: unknown): readonly number[] {
  const counts = listIn(value);
  if (Array.isArray(counts)) return eachOf(counts, "number", "numbers");
  const parts = String(value)
    .split(/[,;\s]+/)
    .filter((part) => part !== "");
  if (parts.every((part) => /^-?\d+(\.\d+)?$/.test(part) && !GROUPED.test(part))) return parts.map(Number);
  throw new Unfit("must be seven numbers with commas between, Monday first");
}

/** A list that is written as JSON in a text, as in a cell of a table; anything else as it is. */
function listIn(value: unknown): unknown {
  if (typeof value !== "string" || !value.trimStart().startsWith("[")) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function eachOf<T>(list: readonly unknown[], type: "boolean" | "number", what: string): readonly T[] {
  if (list.every((entry) => typeof entry === type)) return list as readonly T[];
  throw new Unfit(`must be a list of ${what}`);
}

function size(value: unknown): CellReading {
  const [, width, height] = /^\s*(\d+)\s*[x×]\s*(\d+)\s*$/i.exec(String(value)) ?? [];
  if (width === undefined || height === undefined) return { kind: "flaw", message: "must be a size such as 1920x1080" };
  return { kind: "fields", fields: { width: Number(width), height: Number(height) } };
}
