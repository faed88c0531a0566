import leven from "leven";
import type { z } from "zod";
import { knownKeys } from "./schema.ts";

/** One thing that is wrong with a configuration. */
export interface ConfigProblem {
  /** Where: `health.port`, `playback.switches[0]`; empty for the file as a whole. */
  readonly path: string;
  /** What is expected there, in words that follow the path. Never what was found: that could be the token. */
  readonly message: string;
}

/** A file with more unknown keys in one place is no configuration: for thousands the nearest ones would take seconds to find. */
const MOST_UNKNOWN = 100;
/** So many characters of a key tell which one it may stand for. */
const TELLING_CHARS = 100;

/** What a schema finds wrong with a value, for people. `keys`: those that there are, where it is no configuration. */
export function problemsOf(error: z.ZodError, value: unknown, keys = knownKeys()): ConfigProblem[] {
  return error.issues.flatMap((issue) => {
    if (issue.code === "unrecognized_keys")
      return issue.keys.slice(0, MOST_UNKNOWN).map((key) => unknownKey([...issue.path, key], keys));
    const found = issue.path.reduce<unknown>(inside, value);
    return [{ path: pathOf(issue.path), message: found === undefined ? "is missing" : messageOf(issue) }];
  });
}

/** A problem at a place, such as `["screens", 1, "screenId"]`. */
export function problemAt(path: readonly PropertyKey[], message: string): ConfigProblem {
  return { path: pathOf(path), message };
}

function unknownKey(path: readonly PropertyKey[], keys: readonly string[]): ConfigProblem {
  return { path: pathOf(path), message: `is not a setting; the nearest is ${nearestKey(pathOf(path), keys)}` };
}

/** The known key that an unknown one most probably stands for; a neighbour in its own section wins over one elsewhere. */
function nearestKey(unknown: string, keys: readonly string[]): string {
  const [section, whole] = split(unknown);
  const name = whole.slice(0, TELLING_CHARS);
  const distance = (key: string) => {
    const [otherSection, otherName] = split(key);
    return leven(name.toLowerCase(), otherName.toLowerCase()) + (section === otherSection ? 0 : 0.5);
  };
  return keys.reduce((best, key) => (distance(key) < distance(best) ? key : best));
}

function split(key: string): readonly [section: string, name: string] {
  const dot = key.lastIndexOf(".");
  return [key.slice(0, Math.max(0, dot)), key.slice(dot + 1)];
}

function messageOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      if (issue.origin === "string") return "must not be empty";
      if (issue.origin === "array") return `must have at least ${entries(issue.minimum)}`;
      return `must be ${issue.inclusive === true ? "at least" : "more than"} ${issue.minimum}`;
    case "too_big":
      if (issue.origin === "array") return `must have at most ${entries(issue.maximum)}`;
      return `must be at most ${issue.maximum}${issue.origin === "string" ? " characters long" : ""}`;
    default:
      return issue.message;
  }
}

function entries(count: number | bigint): string {
  return `${count} ${Number(count) === 1 ? "entry" : "entries"}`;
}

const NOUNS: Readonly<Record<string, string>> = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object with settings",
};

function inside(value: unknown, key: PropertyKey): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((joined, key) => {
    if (typeof key === "number") return `${joined}[${key}]`;
    return joined === "" ? String(key) : `${joined}.${String(key)}`;
  }, "");
}
