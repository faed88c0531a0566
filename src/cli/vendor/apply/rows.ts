import { closeSync, createReadStream, openSync, readFileSync, readSync, statSync } from "node:fs";
import { parse } from "csv-parse";
import { readJson } from "../../../player/config/file.ts";
import { CommandFailure, exitCodes } from "../../command-line.ts";
import { flawText } from "../calls.ts";
import { type Column, columnNamed, READ_ONLY } from "../columns.ts";
import { strangeColumn } from "../written.ts";

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
const LARGEST_JSON_BYTES = 256 * 1024 * 1024;

/** The rows of CSV and JSON files; ends the command with 65 where a file cannot be read as what it is. */
export async function rowsOf(files: readonly string[], columns: readonly Column[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const file of files) {
    for await (const row of startsAsJson(file) ? jsonRows(file) : csvRows(file, columns)) {
      if (rows.length === MOST_ROWS) throw bad(`there are more than ${MOST_ROWS} rows; apply them in several runs`);
      rows.push(row);
    }
  }
  return rows;
}

function* jsonRows(file: string): Generator<Row> {
  if (statSync(file).size > LARGEST_JSON_BYTES) throw bad(`${file} is larger than ${LARGEST_JSON_BYTES} bytes`);
  const json = readJson(readFileSync(file, "utf8"));
  if (json.kind === "broken") throw bad(`${file}, line ${json.line}, column ${json.column}: ${json.problem}`);
  const list: readonly unknown[] = Array.isArray(json.value) ? json.value : [json.value];
  for (const [index, value] of list.entries()) {
    const where = Array.isArray(json.value) ? `${file}[${index}]` : file;
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    yield { where, record: isObject ? { ...value } : {}, problem: isObject ? null : "is not an object" };
  }
}

async function* csvRows(file: string, columns: readonly Column[]): AsyncGenerator<Row> {
  const layout = { bom: true, columns: true, skip_empty_lines: true, trim: true, relax_column_count: true } as const;
  const parser = parse({ ...layout, info: true, delimiter: separatorOf(file) });
  const stream = createReadStream(file);
  stream.on("error", (error) => parser.destroy(error));
  stream.pipe(parser);
  let isFirst = true;
  try {
    for await (const { record, info } of parser as AsyncIterable<Parsed>) {
      if (isFirst) checkHeader(file, Object.keys(record), columns);
      isFirst = false;
      yield { where: `${file}:${info.lines}`, record, problem: info.error ? "has too many or too few values" : null };
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw bad(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

interface Parsed {
  readonly record: Readonly<Record<string, string>>;
  readonly info: { readonly lines: number; readonly error?: unknown };
}

function checkHeader(file: string, names: readonly string[], columns: readonly Column[]): void {
  const strange = names.filter((name) => columnNamed(columns, name) === null && !READ_ONLY.includes(name));
  if (strange.length === 0) return;
  const flaws = strange.map((name) => ({ where: name, message: strangeColumn(columns, name) }));
  throw bad(`${file}: ${flawText(flaws)}`);
}

/** Whether a file begins like JSON. */
function startsAsJson(file: string): boolean {
  return /^\uFEFF?\s*[[{]/.test(headOf(file));
}

/** What stands between the names in the first line most often: spreadsheets write semicolons where commas are decimal. */
function separatorOf(file: string): string {
  const [header = ""] = headOf(file).split("\n", 1);
  const counts = [",", ";", "\t"].map((mark) => ({ mark, times: header.split(mark).length }));
  return counts.reduce((most, next) => (next.times > most.times ? next : most)).mark;
}

const HEAD_BYTES = 64 * 1024;

function headOf(file: string): string {
  try {
    const opened = openSync(file, "r");
    try {
      const bytes = Buffer.alloc(HEAD_BYTES);
      return bytes.toString("utf8", 0, readSync(opened, bytes));
    } finally {
      closeSync(opened);
    }
  } catch (error) {
    throw bad(`${file} cannot be read (${error instanceof Error && "code" in error ? error.code : "unknown"})`);
  }
}

function bad(message: string): CommandFailure {
  return new CommandFailure(message, exitCodes.data);
}
