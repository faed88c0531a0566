import { mayStopCampaigns } from "../../../core/effects.ts";
import { CommandFailure, exitCodes } from "../../exit.ts";
import { count, print, printJson, printLines, sayLines } from "../../text.ts";
import type { ConnectionFlags } from "../connection.ts";
import { confirm, hasSomebodyToAsk } from "../question.ts";
import type { Kind } from "./kind.ts";
import { forEach } from "./pace.ts";
import { carriedOut, planned, type Setback, type Step } from "./plan.ts";
import { Progress } from "./progress.ts";
import { codeOf, planText, setbackLines, wholePlanText } from "./report.ts";
import { rowsOf } from "./rows.ts";

export interface ApplyFlags extends ConnectionFlags {
  readonly all?: true;
  readonly dryRun?: true;
}

/** So many rows in a row that the service did not answer mean that it is down: the rest is left for another run. */
const GIVE_UP_AFTER = 12;

/**
 * Makes locations or screens be as files say: compares, shows what differs, and after a yes creates and updates. A bad
 * row stops no other one; all are reported. Calling it off leaves whole rows done or not, and a second run goes on.
 */
export async function apply<S extends object>(
  files: readonly string[],
  kind: Kind<S>,
  flags: ApplyFlags,
  control: AbortController,
): Promise<void> {
  const rows = await rowsOf(files, kind.columns);
  const seen = new Map<string, string>();
  const compared = await gone("reading", rows, control, (row) => planned(row, kind, seen));
  endIfRefused(compared);
  const bad = compared.filter((step) => step.kind === "failed");
  if (!flags.json) printLines((flags.all ? wholePlanText : planText)(compared, kind.what));
  sayLines(setbackLines(bad));
  if (control.signal.aborted) throw calledOff(bad, rows.length - compared.length);

  const open = compared.filter((step) => step.kind === "create" || step.kind === "update");
  const unchanged = compared.filter((step) => step.kind === "same").length;
  if (flags.dryRun || open.length === 0) return finish({ done: [], unchanged, setbacks: bad }, flags);
  await agree(open, flags);

  const outcomes = await gone("writing", open, control, (step) => carriedOut(step, kind));
  endIfRefused(outcomes);
  const failed = outcomes.filter((step) => step.kind === "failed");
  const done = outcomes.filter((step) => step.kind !== "failed");
  sayLines(setbackLines(failed));
  const left = control.signal.aborted ? calledOff(failed, open.length - outcomes.length) : null;
  finish({ done, unchanged, setbacks: [...bad, ...failed] }, flags, left);
}

/** A token that is not accepted is the same for every row. */
function endIfRefused(steps: readonly Step[]): void {
  const refused = steps.find((step) => step.kind === "failed" && step.code === exitCodes.permission);
  if (refused?.kind === "failed") throw new CommandFailure(refused.text, refused.code);
}

/** Asks for the yes; without somebody to ask it has to be on the command line. */
async function agree(open: readonly Step[], { yes }: ApplyFlags): Promise<void> {
  if (yes) return;
  if (!hasSomebodyToAsk()) {
    throw new CommandFailure("Nothing was changed. Add --yes to go on without being asked.", exitCodes.usage);
  }
  const risky = open.some((step) => step.kind === "update" && step.effects.some(mayStopCampaigns));
  await confirm(risky ? "Campaigns may stop by this. Go on?" : "Go on?");
}

interface Outcome {
  readonly done: readonly Step[];
  readonly unchanged: number;
  readonly setbacks: readonly Setback[];
}

/** Reports, and ends the command with the code that fits. */
function finish(
  { done, unchanged, setbacks }: Outcome,
  { json }: ApplyFlags,
  left: CommandFailure | null = null,
): void {
  const idsOf = (kind: Step["kind"]) => done.flatMap((step) => (step.kind === kind ? [step.id] : []));
  const [created, updated] = [idsOf("create"), idsOf("update")];
  const failed = setbacks.map(({ where, id, text }) => ({ where, id, problem: text }));
  if (json) printJson({ created, updated, unchanged, failed });
  else if (done.length > 0) print(`created ${created.length}, updated ${updated.length}, failed ${failed.length}`);
  if (left !== null) throw left;
  if (setbacks.length > 0) throw new CommandFailure("", codeOf(setbacks));
}

function calledOff(setbacks: readonly Setback[], left: number): CommandFailure {
  const cause = codeOf(setbacks);
  const code = cause === exitCodes.stopped || cause === exitCodes.data ? INTERRUPTED : cause;
  return new CommandFailure(`${count(left, "row")} left undone. Run the same command again to go on.`, code);
}

/** As a shell tells a command that Ctrl+C ended. */
const INTERRUPTED = 130;

/**
 * What became of each entry, in their order. Ends early when it is called off, when the token is refused, or when one
 * row after the other found no service; what was not come to is left out then.
 */
async function gone<T>(
  what: string,
  entries: readonly T[],
  control: AbortController,
  act: (entry: T) => Promise<Step>,
): Promise<readonly Step[]> {
  const progress = new Progress(what, entries.length);
  const outcomes: Step[] = [];
  let unansweredInARow = 0;
  await forEach([...entries.entries()], control.signal, async ([at, entry]) => {
    const outcome = await act(entry);
    const code = outcome.kind === "failed" ? outcome.code : exitCodes.stopped;
    unansweredInARow = code === exitCodes.unavailable ? unansweredInARow + 1 : 0;
    // A call that waited in vain for its turn was not made.
    if (control.signal.aborted && code === exitCodes.unavailable) return;
    outcomes[at] = outcome;
    progress.step();
    if (code === exitCodes.permission || unansweredInARow >= GIVE_UP_AFTER) control.abort();
  }).finally(() => progress.end());
  return outcomes.filter((outcome) => outcome !== undefined);
}
