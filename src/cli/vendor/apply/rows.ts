import { parse } from "csv-parse";
import { readJson } from "../../../player/config/file.ts";
import { CommandFailure, exitCodes } from "../../command-line.ts";
import { layoutOf, textFrom } from "../../text.ts";
import { flawText } from "../calls.ts";
import { type Column, columnNamed, isReadOnly } from "../columns.ts";
import { saidTwice, strangeColumn } from "../written.ts";

/** One location or screen as a file has it. */
export interface Row {
  /** `screens.csv:17`, `screens.json[16]`. */
  readonly where: string;
  readonly record: Readonly<Record<string, unknown>>;
  /** Why it is no whole row, or null. */
  readonly problem: string | null;
}

/** More belong into several runs; all that is planned is held in memory. */
export const MOST_ROWS = 100_000;
const LARGEST_BYTES = 256 * 1024 * 1024;

/** What xlsx, ods and numbers begin with, which are ZIP archives, and what xls does. */
const WORKBOOKS = ["PK\u0003\u0004", "\u00d0\u00cf\u0011\u00e0"];

/** The rows of CSV and JSON files; ends the command with 65 where a file cannot be read as what it is. */
export async function rowsOf(files: readonly string[], columns: readonly Column[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const file of files) {
    const text = textFrom(file, file, LARGEST_BYTES);
    if (text.trim() === "") throw bad(`${file}: is empty`);
    if (WORKBOOKS.some((mark) => text.startsWith(mark)))
      throw bad(`${file}: is a spreadsheet's own file; export it as CSV`);
    const isJson = /^\s*[[{]/.test(text);
    for await (const row of isJson ? jsonRows(file, text) : csvRows(file, text, columns)) {
      if (rows.length === MOST_ROWS) throw bad(`there are more than ${MOST_ROWS} rows; apply them in several runs`);
      rows.push(row);
    }
  }
  return rows;
}

function* jsonRows(file: string, text: string): Generator<Row> {
  const json = readJson(text);
  if (json.kind === "broken") throw bad(`${file}, line ${json.line}, column ${json.column}: ${json.problem}`);
  const list: readonly unknown[] = Array.isArray(json.value) ? json.value : [json.value];
  for (const [index, value] of list.entries()) {
    const where = Array.isArray(json.value) ? `${file}[${index}]` : file;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    yield { where, record: isObject ? { ...value } : {}, problem: isObject ? null : "is not an object" };
  }
}

/** Rows without a value are none: spreadsheets write them where something was once. */
const LAYOUT = { skip_records_with_empty_values: true, trim: true, relax_column_count: true, record_delimiter: "\n" };

async function* csvRows(file: string, written: string, columns: readonly Column[]): AsyncGenerator<Row> {
  // The parser counts both marks of a line's end within quotes.
  const text = written.replace(/\r\n?/g, "\n");
  const { separator, fromLine } = layoutOf(text);
  const named = (names: readonly string[]) => checkedHeader(file, names, columns);
  const parser = parse(text, { ...LAYOUT, columns: named, info: true, delimiter: separator, from_line: fromLine });
  try {
    for await (const { record: whole, info } of parser as AsyncIterable<Parsed>) {
      const { record, stray } = withoutUnnamed(whole);
      yield {
        where: `${file}:${info.lines}`,
        record: separator === "," ? record : withPoints(record, columns),
        problem: isTooLong(info) ? "has more values than the header has names" : stray,
      };
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw bad(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

type CsvRecord = Readonly<Record<string, string>>;

interface Parsed {
  readonly record: CsvRecord;
  readonly info: ParsedRow;
}

interface ParsedRow {
  readonly lines: number;
  readonly columns: readonly unknown[];
  /** Where there are more values than names, or fewer: then all of them. */
  readonly error?: { readonly record: readonly string[] };
}

/** One that is too short lacks its last cells, which spreadsheets leave out where they are empty. */
function isTooLong({ columns, error }: ParsedRow): boolean {
  return error !== undefined && error.record.length > columns.length;
}

/**
 * Spreadsheets that separate by semicolons or tabs may write `52,5` for 52.5. So it is read where a column takes the one and
 * not the other.
 */
function withPoints(record: CsvRecord, columns: readonly Column[]): CsvRecord {
  const takes = (name: string, value: string) => columnNamed(columns, name)?.read(value).kind === "fields";
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      if (!/^-?\d+,\d+(e[+-]?\d+)?$/i.test(value)) return [name, value];
      const withPoint = value.replace(",", ".");
      return [name, !takes(name, value) && takes(name, withPoint) ? withPoint : value];
    }),
  );
}

/** What columns without a name are called, with their number: spreadsheets write them where something was once. */
const UNNAMED = "column ";

/** A record without what stands in columns without a name, and why it is no whole row where that is anything. */
function withoutUnnamed(record: CsvRecord): { readonly record: CsvRecord; readonly stray: string | null } {
  const isUnnamed = ([name]: [string, string]) => name.startsWith(UNNAMED);
  const entries = Object.entries(record);
  const [stray] = entries.filter(isUnnamed).find(([, value]) => value !== "") ?? [];
  const named = Object.fromEntries(entries.filter((entry) => !isUnnamed(entry)));
  return { record: named, stray: stray === undefined ? null : `${stray} has a value and no name` };
}

/** The names of a header; ends the command where one of them is no column, or two are the same one. */
function checkedHeader(file: string, names: readonly string[], columns: readonly Column[]): string[] {
  const named = names.filter((name) => name !== "").map((name) => ({ name, column: columnNamed(columns, name) }));
  const known = named.flatMap(({ name, column }) => (column === null ? [] : [{ name, column }]));
  const strange = named.filter(({ name, column }) => column === null && !isReadOnly(name));
  const flaws = [
    ...strange.map(({ name }) => ({ where: name, message: strangeColumn(columns, name) })),
    ...saidTwice(known),
  ];
  if (flaws.length > 0) throw bad(`${file}: ${flawText(flaws)}`);
  return names.map((name, index) => name || `${UNNAMED}${index + 1}`);
}

function bad(message: string): CommandFailure {
  return new CommandFailure(message, exitCodes.data);
}
