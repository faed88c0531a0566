import { approvalChecks } from "./approval-checks.ts";
import { bodyChecks } from "./body-checks.ts";
import type { Check } from "./check.ts";
import { locationChecks } from "./location-checks.ts";
import { readOnlyChecks } from "./read-only.ts";
import { screenChecks } from "./screen-checks.ts";
import { spotChecks } from "./spot-checks.ts";
import { type Subject, subjectAt, type Target } from "./subject.ts";

/** What came of one check: `differs` is a failure where the contract leaves the answer to the service. */
export interface Finding {
  readonly id: string;
  readonly name: string;
  readonly verdict: "passed" | "failed" | "differs";
  /** What was wrong, a line each. */
  readonly problems: readonly string[];
}

/**
 * Examines a service: with a control API everything, and every answer must be the emulator's; without one only what
 * changes nothing, and only what the contract says can fail. `run`: letters and digits that make this one's ids its own.
 */
export async function examine(target: Target, run: string): Promise<Finding[]> {
  const subject = subjectAt(target, run);
  const findings: Finding[] = [];
  for (const check of checksFor(target)) findings.push(await findingOf(check, subject, target.controlUrl !== null));
  return findings;
}

function checksFor({ controlUrl }: Target): readonly Check[] {
  if (controlUrl === null) return readOnlyChecks;
  const others = [locationChecks, screenChecks, approvalChecks, bodyChecks, spotChecks];
  return [...readOnlyChecks, ...others.flat()];
}

async function findingOf(check: Check, subject: Subject, strict: boolean): Promise<Finding> {
  const { id, name, basis } = check;
  const problems = await problemsOf(check, subject);
  if (problems.length === 0) return { id, name, verdict: "passed", problems };
  return { id, name, verdict: strict || basis === "contract" ? "failed" : "differs", problems };
}

/** A service that cannot be reached or whose answer cannot even be taken apart has failed the check. */
async function problemsOf(check: Check, subject: Subject): Promise<readonly string[]> {
  try {
    return await check.run(subject);
  } catch (error) {
    return [error instanceof Error ? firstLine(error) : String(error)];
  }
}

function firstLine({ message, cause }: Error): string {
  const reason = cause instanceof Error ? `: ${cause.message}` : "";
  return `${message.split("\n", 1)[0]}${reason}`;
}
