import { readFileSync, statSync } from "node:fs";
import { readJson } from "./json.ts";
import type { ConfigProblem } from "./problems.ts";

/** What a configuration file holds, unchecked, or why that cannot be told. */
export type FileReading =
  | { readonly kind: "value"; readonly value: unknown }
  | { readonly kind: "unreadable"; readonly problem: ConfigProblem };

/** Larger than any configuration. */
const LARGEST_FILE_BYTES = 1024 * 1024;

/** Reads a file as JSON. */
export function readJsonFile(path: string): FileReading {
  try {
    if (statSync(path).size > LARGEST_FILE_BYTES) return unreadable(`is larger than ${LARGEST_FILE_BYTES} bytes`);
    const json = readJson(readFileSync(path, "utf8"));
    if (json.kind === "value") return json;
    return unreadable(`is not JSON: line ${json.line}, column ${json.column}: ${json.problem}`);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return unreadable(code === "ENOENT" ? "is not there" : `cannot be read (${code})`);
  }
}

function unreadable(what: string): FileReading {
  return { kind: "unreadable", problem: { path: "", message: `The file ${what}.` } };
}
