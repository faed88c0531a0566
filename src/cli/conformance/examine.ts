import { ZodError, z } from "zod";
import { approvalChecks, spotChecks } from "./approval-and-spot-checks.ts";
import { type Check, complaintsOf } from "./check.ts";
import { bodyChecks, locationChecks } from "./location-checks.ts";
import { readOnlyChecks } from "./read-only.ts";
import { screenChecks } from "./screen-checks.ts";
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
 * An emulator is left as it was, also when `stop` is raised; then this rejects with its reason. Rejects with `NoAnswer`
 * where nothing answered at all.
 */
export async function examine(
  target: Target,
  run: string,
  stop: AbortSignal = new AbortController().signal,
): Promise<Finding[]> {
  const borrowed = await borrow(target, run);
  try {
    const subject = subjectAt(borrowed.target, run, stop);
    const findings: Finding[] = [];
    for (const check of checksFor(target)) {
      findings.push(await findingOf(check, subject, target.controlUrl !== null));
      stop.throwIfAborted();
    }
    // Asked once more, which says why nothing is answered.
    if (!subject.wasAnswered()) await subject.at("/");
    return findings;
  } finally {
    await borrowed.giveBack();
  }
}

/** Everything that is checked of an emulator. */
export const allChecks: readonly Check[] = [
  ...[readOnlyChecks, locationChecks, screenChecks, approvalChecks, bodyChecks, spotChecks].flat(),
];

function checksFor({ controlUrl }: Target): readonly Check[] {
  return controlUrl === null ? readOnlyChecks : allChecks;
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
    if (error instanceof ZodError) return complaintsOf(error);
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** A target that can be examined without a trace, and what takes everything back. */
interface Borrowed {
  readonly target: Target;
  giveBack(): Promise<void>;
}

const forkSchema = z.object({ id: z.string(), path: z.string().startsWith("/") });

/**
 * Opens a fork of an emulator's network: the same once more, on a clock of its own. It is reached where the target is,
 * whatever the emulator thinks its addresses are. A live service is asked as it is: what changes nothing needs no fork.
 */
async function borrow(target: Target, run: string): Promise<Borrowed> {
  const { baseUrl, controlUrl } = target;
  if (controlUrl === null) return { target, giveBack: async () => {} };
  const { control } = subjectAt(target, run);
  const reply = await control("POST", "/forks");
  const opened = forkSchema.safeParse(reply.body);
  if (reply.status !== 201 || !opened.success) throw new ForkError(reasonOf(reply.status));
  const { id, path } = opened.data;
  const below = (url: string) => url.replace(/\/+$/, "") + path;
  return {
    target: { ...target, baseUrl: below(baseUrl), controlUrl: below(controlUrl) },
    // An emulator that is gone meanwhile has forgotten it anyway.
    giveBack: async () => void (await control("DELETE", `/forks/${id}`).catch(() => null)),
  };
}

/** There is no fork to examine, and nothing else is touched. */
class ForkError extends Error {
  override name = "ForkError";
}

function reasonOf(status: number): string {
  if (status === 409) return "too many are examining it already; try again in ten minutes";
  return `it is no control API of an emulator that can be examined without a trace (POST /control/forks: ${status})`;
}
