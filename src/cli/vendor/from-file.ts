import { readFileSync } from "node:fs";
import { readJson } from "../../player/config/json.ts";
import { CommandFailure, exitCodes } from "../exit.ts";

/** Larger than any object of the service. */
const LARGEST_BYTES = 1024 * 1024;

/** One object from a JSON file, or from standard input for `-`; ends the command where there is none. */
export function objectFrom(file: string): Readonly<Record<string, unknown>> {
  const name = file === "-" ? "standard input" : file;
  const json = readJson(textFrom(file, name));
  if (json.kind === "broken")
    throw bad(`line ${json.line}, column ${json.column} of ${name} is not JSON: ${json.problem}`);
  const { value } = json;
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw bad(`${name} must hold one object`);
  return { ...value };
}

/** All of a text file, or of standard input for `-`. */
function textFrom(file: string, name: string): string {
  try {
    const bytes = readFileSync(file === "-" ? 0 : file);
    if (bytes.length > LARGEST_BYTES) throw bad(`${name} is larger than ${LARGEST_BYTES} bytes`);
    return bytes.toString("utf8");
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw bad(`${name} cannot be read (${code})`);
  }
}

function bad(message: string): CommandFailure {
  return new CommandFailure(message, exitCodes.data);
}
