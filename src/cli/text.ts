import { once } from "node:events";
import { closeSync, fchmodSync, fstatSync, openSync, writeFileSync } from "node:fs";
import type { Writable } from "node:stream";
import { stripVTControlCharacters, styleText } from "node:util";
import stringWidth from "fast-string-width";
import { readTextFile } from "../player/small-file.ts";
import { CommandFailure, exitCodes, unwritten } from "./command-line.ts";

/** Prints to standard output, for people. */
export function print(...lines: readonly string[]): void {
  printLines(lines);
}

/** The same for a list that may be long. */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(""));
}

/** Says something beside the output proper: on standard error. */
export function say(...lines: readonly string[]): void {
  sayLines(lines);
}

/** The same for a list that may be long. */
export function sayLines(lines: readonly string[]): void {
  process.stderr.write(lines.map((line) => `${line}\n`).join(""));
}

/** Prints one value, alone, for machines. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** All of a text file, or of what is open already; ends the command where it cannot be read, or is larger. */
export function textFrom(
  file: string | number,
  name: string,
  mostBytes: number,
  exitCode: number = exitCodes.data,
): string {
  const reading = readTextFile(file, mostBytes);
  if (reading.kind === "unreadable") throw new CommandFailure(`${name} ${reading.why}`, exitCode);
  return reading.text;
}

/** Writes what only the file's owner is to read, where it was there before, too; ends the command where it cannot be written. */
export function writePrivateFile(path: string, content: string | Uint8Array): void {
  try {
    const file = openSync(path, "w", 0o600);
    try {
      if (fstatSync(file).isFile()) fchmodSync(file, 0o600);
      writeFileSync(file, content);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown";
    throw new CommandFailure(`${path} cannot be written (${code})`);
  }
}

/** Text from elsewhere, fit for a terminal: others' titles must not move the cursor, colour or turn lines. */
export function plain(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(TURNING, "");
}

/** What turns the rest of a line around, beyond the text that it stands in. */
const TURNING = /[\u202a-\u202e\u2066-\u2069]/gu;

/**
 * What separates values in CSV, and the line from which on there are any: by the first line with something in it, which
 * may be a spreadsheet's own `sep=;`.
 */
export function layoutOf(text: string): { readonly separator: string; readonly fromLine: number } {
  const [blank = ""] = /^( *\r?\n)*/.exec(text) ?? [];
  const [heading = ""] = text.slice(blank.length).split(/\r?\n/, 1);
  const [, told] = /^"?sep=(.)"?\s*$/i.exec(heading) ?? [];
  if (told !== undefined) return { separator: told, fromLine: blank.split("\n").length + 1 };
  return { separator: separatorOf(heading), fromLine: 1 };
}

/** What stands between the names of the heading most often. In a row it may be part of a price. */
function separatorOf(heading: string): string {
  const counts = [",", ";", "\t"].map((mark) => ({ mark, times: heading.split(mark).length }));
  return counts.reduce((most, next) => (next.times > most.times ? next : most)).mark;
}

/** Text in a style on a terminal that has colours; as it is in a pipe, and where NO_COLOR says so. */
export function styled(style: "bold" | "green" | "yellow" | "red", text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText(style, text) : text;
}

/** Lines of cells that stand under each other, those of the columns in `right` to the right. */
export function table(rows: readonly (readonly string[])[], indent = "", right: readonly number[] = []): string[] {
  const widths = (rows[0] ?? []).map((_, column) => {
    return rows.reduce((widest, row) => Math.max(widest, stringWidth(row[column] ?? "")), 0);
  });
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const space = " ".repeat((widths[column] ?? 0) - stringWidth(cell));
      return right.includes(column) ? space + cell : cell + space;
    });
    return (indent + cells.join("  ")).trimEnd();
  });
}

/** Breaks text between words so that no line is wider than a terminal of 80 columns, a hanging indent included. */
export function wrapped(text: string, indent: string, width = 80): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && stringWidth(`${indent}${line} ${word}`) > width) {
      lines.push(indent + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, indent + line];
}

export function count(number: number, thing: string): string {
  return `${number.toLocaleString("en-US")} ${thing}${number === 1 ? "" : "s"}`;
}

/** Lines are handed on so many characters at a time: each by itself takes ten times as long. */
const CHUNK_LENGTH = 64 * 1024;

/**
 * Writes lines as they come, no faster than they are read; a reader that closes, as `head` does, ends the writing. Rejects
 * with the system's error where they cannot be written for another reason.
 */
export async function writeLines(lines: Iterable<string>, out: Writable): Promise<void> {
  // What went wrong is asked of the stream itself.
  out.on("error", () => {});
  for (const chunk of chunksOf(lines)) {
    if (out.destroyed || out.errored !== null) break;
    if (!out.write(chunk)) await drained(out);
  }
  const error = out.errored;
  if (error !== null && !("code" in error && error.code === "EPIPE")) throw error;
}

/** Writes lines to standard output as they come. Ends the command where they cannot be written. */
export async function writeOutput(lines: Iterable<string>): Promise<void> {
  try {
    await writeLines(lines, process.stdout);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new CommandFailure(unwritten(String(error.code)));
  }
}

/** RFC 4180. A text that a spreadsheet would take for a formula is told to be text. */
export function csvLine(values: readonly (string | number | null)[]): string {
  const cells = values.map((value) => {
    const text = String(value ?? "");
    const safe = /^[=+\-@＝＋－＠\t\r\n]/.test(text) && typeof value === "string" ? `'${text}` : text;
    return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join()}\r\n`;
}

function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const line of lines) {
    chunk += line;
    if (chunk.length < CHUNK_LENGTH) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** Waits for one of two events, and then for neither: millions of lines must not leave as many listeners. */
async function drained(out: Writable): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(out, "drain", { signal }), once(out, "close", { signal })]).catch(() => {});
  over.abort();
}
