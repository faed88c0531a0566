import { stripVTControlCharacters, styleText } from "node:util";
import stringWidth from "string-width";

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

/** Text from elsewhere, fit for a terminal: others' titles must not move the cursor or change colours. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replace(/\p{Cc}+/gu, " ");
}

/** Text in a style on a terminal that has colours; as it is in a pipe, and where NO_COLOR says so. */
export function styled(style: "bold" | "green" | "yellow" | "red", text: string): string {
  return process.stdout.isTTY && process.stdout.hasColors() ? styleText(style, text) : text;
}

/** Lines of cells that stand under each other, those of the columns in `right` to the right. */
export function table(rows: readonly (readonly string[])[], indent = "", right: readonly number[] = []): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => stringWidth(row[column] ?? ""))));
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
