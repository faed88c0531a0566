import { CommandFailure, exitCodes } from "../exit.ts";
import { count, plain } from "../text.ts";

/** One thing that is wrong with what a command was given, and the flag or field to mend. */
export interface Flaw {
  readonly where: string;
  readonly message: string;
  /** `usage`: it makes no sense by itself. `data`: it makes sense, and breaks a rule. */
  readonly kind: "usage" | "data";
}

/** Ends the command with all that is wrong, if anything is: with 64 if some of it makes no sense, else with 65. */
export function endIfFlawed(flaws: readonly Flaw[]): void {
  if (flaws.length === 0) return;
  const code = flaws.some(({ kind }) => kind === "usage") ? exitCodes.usage : exitCodes.data;
  throw new CommandFailure(flawText(flaws), code);
}

/** A line for each flaw; the number of them above, where there are more. */
export function flawText(flaws: readonly Omit<Flaw, "kind">[]): string {
  const lines = flaws.map(({ where, message }) => (where === "" ? plain(message) : `${where}: ${plain(message)}`));
  return lines.length === 1 ? (lines[0] ?? "") : [`${count(lines.length, "problem")}:`, ...indented(lines)].join("\n");
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}
