import type { z } from "zod";
import type { Reply, Subject } from "./subject.ts";

/**
 * One thing that a service should do. `basis`: the contract says so, or it is the reading of the emulator's table of
 * behaviours, which a live service may answer otherwise.
 */
export interface Check {
  /** A row of the table of behaviours, or a chapter of the contract. */
  readonly id: string;
  readonly name: string;
  readonly basis: "contract" | "reading";
  /** What was wrong, a line each; nothing when it is as it should be. */
  run(subject: Subject): Promise<readonly string[]>;
}

/** Complains unless an answer has one of these statuses. */
export function hasStatus(reply: Reply, ...statuses: readonly number[]): string[] {
  return statuses.includes(reply.status) ? [] : [`expected ${statuses.join(" or ")}, found ${reply.status}`];
}

/** Complains unless an answer was a success. */
export function succeeded(reply: Reply): string[] {
  return reply.status >= 200 && reply.status < 300 ? [] : [`expected a success, found ${reply.status}`];
}

/** Complains about every part of a value that a schema does not take. */
export function fits(value: unknown, schema: z.ZodType): string[] {
  const read = schema.safeParse(value);
  return read.success ? [] : read.error.issues.map(({ path, message }) => `${path.join(".") || "answer"}: ${message}`);
}

/** Complains about each of some fields that is not as expected. */
export function has(value: unknown, expected: Readonly<Record<string, unknown>>): string[] {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(expected).flatMap(([field, wanted]) => {
    const found = JSON.stringify(fields[field]);
    return found === JSON.stringify(wanted) ? [] : [`${field}: expected ${JSON.stringify(wanted)}, found ${found}`];
  });
}

/** Complains unless two answers have the same body. */
export function unchanged(before: Reply, after: Reply): string[] {
  const same = JSON.stringify(before.body) === JSON.stringify(after.body);
  return same ? [] : ["it was changed by a request that was refused"];
}
