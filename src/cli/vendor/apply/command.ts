import { Command } from "commander";
import { mayStopCampaigns } from "../../../core/inventory/changes.ts";
import { CommandFailure, exitCodes } from "../../command-line.ts";
import { count, print, printJson, printLines, say, sayLines } from "../../text.ts";
import { agree } from "../asking.ts";
import { forEach, Pace } from "../calls.ts";
import { type Connection, type ConnectionFlags, connect, withConnection } from "../connection.ts";
import { carriedOut, type Kind, locationKind, planned, type RowFailure, type Step, screenKind } from "./plan.ts";
import {
  codeOf,
  draftsIn,
  failureLines,
  leftOutLines,
  Progress,
  planJson,
  planText,
  standingLines,
  statusCounts,
  wholePlanText,
} from "./report.ts";
import { rowsOf } from "./rows.ts";

interface ApplyFlags extends ConnectionFlags {
  readonly all?: true;
  readonly dryRun?: true;
}

/** `spotloop locations apply FILE…`. */
export function applyLocationsCommand(): Command {
  return applyCommand("locations", LOCATION_EXAMPLE, locationKind);
}

/** `spotloop screens apply FILE…`. */
export function applyScreensCommand(): Command {
  return applyCommand("screens", SCREEN_EXAMPLE, screenKind);
}

function applyCommand<S extends object>(
  what: string,
  example: string,
  kindAt: (connection: Connection, pace: Pace) => Kind<S>,
): Command {
  const command = new Command("apply")
    .description(`make ${what} be as files say: creates what is missing, updates what differs`)
    .argument("<file...>", "CSV with a header, or a JSON list")
    .option("--dry-run", "show what differs, and change nothing")
    .option("--all", "show every row that differs, not the first only")
    .addHelpText("after", `\nSafe to run again: what is there and as it should be is left alone.\n\n${example}`)
    .action(async (files: readonly string[], flags: ApplyFlags) => {
      const control = new AbortController();
      const interrupt = () => control.abort();
      // Once: a second Ctrl+C ends the process at once, as everywhere.
      process.once("SIGINT", interrupt);
      const kind = kindAt(connect(flags), new Pace(control.signal, sayPause));
      await apply(files, kind, flags, control).finally(() => process.off("SIGINT", interrupt));
    });
  return withConnection(command);
}

/** A wait that somebody at a terminal would wonder about. */
const LONG_WAIT_MS = 5_000;

/** Says that the service asks to wait, where that takes long. */
export function sayPause(waitMs: number): void {
  if (waitMs >= LONG_WAIT_MS) say(`The service asks to wait ${Math.ceil(waitMs / 1000)} s.`);
}

const LOCATION_EXAMPLE = `A file of locations, columns in any order:
  id,title,venue-type,lat,long,open,visitors
  gym-1,Gym,401,52.5,13.4,"mon-fri 08:00-20:00, sat 10:00-18:00",120 110 115 130 180 240 90`;

const SCREEN_EXAMPLE = `A file of screens, columns in any order:
  id,title,location,venue-type,size,loop,amount,imps-weekly
  door-1,Door,gym-1,40101,1920x1080,60,1,5000`;

/** After this many unanswered rows in succession the service counts as down: the rest is left for another run. */
const GIVE_UP_AFTER = 12;

/**
 * Makes locations or screens be as files say: compares, shows what differs, and after a yes creates and updates. A bad
 * row stops no other one; all are reported. Calling it off leaves whole rows done or not, and a second run goes on.
 */
async function apply<S extends object>(
  files: readonly string[],
  kind: Kind<S>,
  flags: ApplyFlags,
  control: AbortController,
): Promise<void> {
  const rows = await rowsOf(files, kind.columns);
  const seen = new Map<string, string>();
  const compared = await runAll("reading", rows, control, (row) => planned(row, kind, seen));
  endIfRefused(compared);
  const bad = compared.filter((step) => step.kind === "failed");
  if (!flags.json) printLines((flags.all ? wholePlanText : planText)(compared, kind.what));
  sayLines([...failureLines(bad), ...leftOutLines(compared, kind)]);
  if (control.signal.aborted) throw calledOff(bad, rows.length - compared.length);

  const open = compared.filter((step) => step.kind === "create" || step.kind === "update");
  const unchanged = compared.filter((step) => step.kind === "same");
  const plan = flags.dryRun ? planJson(open) : null;
  if (flags.dryRun || open.length === 0) return finish({ done: [], unchanged, failures: bad, plan }, flags);
  const risky = open.some((step) => step.kind === "update" && step.effects.some(mayStopCampaigns));
  await agree(risky ? "Campaigns may stop by this. Go on?" : "Go on?", flags.yes === true);

  const outcomes = await runAll("writing", open, control, (step) => carriedOut(step, kind));
  endIfRefused(outcomes);
  const failed = outcomes.filter((step) => step.kind === "failed");
  const done = outcomes.filter((step) => step.kind !== "failed");
  sayLines(failureLines(failed));
  const left = control.signal.aborted ? calledOff(failed, open.length - outcomes.length) : null;
  finish({ done, unchanged, failures: [...bad, ...failed], plan }, flags, left);
}

/** A token that is not accepted is the same for every row. */
export function endIfRefused(steps: readonly Step[]): void {
  const refused = steps.find((step) => step.kind === "failed" && step.code === exitCodes.permission);
  if (refused?.kind === "failed") throw new CommandFailure(refused.text, refused.code);
}

interface Outcome {
  readonly done: readonly Step[];
  readonly unchanged: readonly Step[];
  readonly failures: readonly RowFailure[];
  /** What would be done, for machines; null where it was done or tried. */
  readonly plan: readonly object[] | null;
}

/** Reports, and ends the command with the code that fits. */
function finish(
  { done, unchanged, failures, plan }: Outcome,
  { json, all }: ApplyFlags,
  left: CommandFailure | null = null,
): void {
  const idsOf = (kind: Step["kind"]) => done.flatMap((step) => (step.kind === kind ? [step.id] : []));
  const [created, updated] = [idsOf("create"), idsOf("update")];
  const failed = failures.map(({ where, id, text }) => ({ where, id, problem: text }));
  // Where nothing was done, and nothing is left to do, there is nothing to tell.
  const reviewed = [...done, ...unchanged];
  const isTold = plan === null && (done.length > 0 || draftsIn(reviewed).length > 0);
  const counts = isTold ? statusCounts(reviewed) : null;
  if (json) {
    const standing = counts === null ? {} : { statuses: counts, drafts: draftsIn(reviewed) };
    printJson({
      created,
      updated,
      unchanged: unchanged.length,
      failed,
      ...standing,
      ...(plan === null ? {} : { plan }),
    });
  } else {
    if (done.length > 0) print(`created ${created.length}, updated ${updated.length}, failed ${failed.length}`);
    if (isTold) printLines(standingLines(reviewed, all === true));
  }
  if (left !== null) throw left;
  if (failures.length > 0) throw new CommandFailure("", codeOf(failures));
}

/** The end of a command that was called off, with what is left; its code is that of a cause beyond the rows, if there is one. */
export function calledOff(failures: readonly RowFailure[], left: number): CommandFailure {
  const cause = codeOf(failures);
  const code = cause === exitCodes.stopped || cause === exitCodes.data ? exitCodes.interrupted : cause;
  return new CommandFailure(`${count(left, "row")} left undone. Run the same command again to go on.`, code);
}

/**
 * What became of each entry, in their order. Ends early when it is called off, when the token is refused, or when one
 * row after the other found no service; what was not come to is left out then.
 */
export async function runAll<T>(
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
