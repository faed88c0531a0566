import { expect } from "vitest";
import { complaintOf } from "./report.ts";
import { simulate } from "./simulation.ts";

/** Far longer than it takes; a day takes a few seconds. */
export const LIMIT_MS = 600_000;

/** Lives through virtual days and fails with what went wrong, and with the command that repeats it. */
export async function expectCleanDays(days: number, seed: number): Promise<void> {
  const outcome = await simulate({ days, seed });
  expect(complaintOf(outcome, days)).toBe("");
  // Days in which nothing happened would be clean too.
  expect(outcome.totals.shown).toBeGreaterThan(100 * days);
}
