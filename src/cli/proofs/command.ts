import { Command, InvalidArgumentError, Option } from "commander";
import type { ItemKind } from "../../core/spot.ts";
import { ProofArchive, type ProofFilter } from "../../player/proofs/proof-archive.ts";
import type { ProofState } from "../../player/proofs/proof-records.ts";
import { dayOf, type FolderFlags, folderOptions, orFailure, proofsPath } from "./flags.ts";
import { retryNow } from "./retry.ts";
import { type ExportFormat, proofTable, writeProofs } from "./write.ts";

interface FilterFlags extends FolderFlags {
  readonly state?: ProofState;
  readonly kind?: ItemKind;
  readonly day?: string;
  readonly screen?: string;
}

/** How many are listed by default: a screen's last minutes. */
const LISTED = 50;

/** `spotloop proofs`: what became of the proofs of play, read while the player runs. */
export function proofsCommand(): Command {
  const command = new Command("proofs")
    .description("the proofs of play of a player on this machine: list them, export them, send what is owed now")
    .addHelpText("after", EXAMPLES);
  command.addCommand(listCommand()).addCommand(exportCommand()).addCommand(retryCommand());
  for (const sub of command.commands) sub.exitOverride();
  return command;
}

const EXAMPLES = `
Examples:
  spotloop proofs list                             the last ${LISTED}, newest first
  spotloop proofs list --state refused --day 2026-01-31
  spotloop proofs export --format csv > proofs.csv
  spotloop proofs retry                            what is owed is sent now, not at its next turn
`;

function listCommand(): Command {
  return withFilters(new Command("list"))
    .description("list proofs, newest first")
    .option("--limit <n>", "at most so many", wholeNumber, LISTED)
    .option("--json", "print them as JSON")
    .action((flags: FilterFlags & { limit: number; json?: true }) => {
      const proofs = withArchive(flags, (archive) => first(flags.limit, archive.list(filterOf(flags))));
      process.stdout.write(flags.json ? `${JSON.stringify(proofs, null, 2)}\n` : proofTable(proofs));
    });
}

function exportCommand(): Command {
  return withFilters(new Command("export"))
    .description("write all proofs to standard output, newest first")
    .addOption(new Option("--format <format>", "of the lines").choices(["csv", "jsonl"]).default("csv"))
    .action(async (flags: FilterFlags & { format: ExportFormat }) => {
      const archive = orFailure(() => new ProofArchive(proofsPath(flags)));
      await writeProofs(archive.list(filterOf(flags)), flags.format).finally(() => archive.close());
    });
}

function retryCommand(): Command {
  const command = new Command("retry").description(
    "send what is owed now: by the player where one is running, else by this command",
  );
  for (const option of folderOptions()) command.addOption(option);
  return command
    .option("--json", "print what was done as JSON")
    .action(async (flags: FolderFlags & { json?: true }) => {
      const outcome = await retryNow(flags);
      process.stdout.write(flags.json ? `${JSON.stringify(outcome)}\n` : `${outcome.told}\n`);
    });
}

function withFilters(command: Command): Command {
  for (const option of folderOptions()) command.addOption(option);
  return command
    .addOption(new Option("--state <state>", "only these").choices(["owed", "delivered", "refused", "expired"]))
    .addOption(new Option("--kind <kind>", "only these").choices(["news", "ad"]))
    .option("--screen <id>", "only of one of several screens")
    .option("--day <day>", "only of items shown on this day, UTC: YYYY-MM-DD, today or yesterday");
}

function filterOf({ state, kind, day, screen }: FilterFlags): ProofFilter {
  const span = day === undefined ? null : dayOf(day, "UTC");
  return { state: state ?? null, kind: kind ?? null, day: span, screenId: screen ?? null };
}

function first<T>(count: number, values: Iterable<T>): readonly T[] {
  const taken: T[] = [];
  for (const value of values) {
    taken.push(value);
    if (taken.length === count) break;
  }
  return taken;
}

function withArchive<T>(flags: FolderFlags, act: (archive: ProofArchive) => T): T {
  const archive = orFailure(() => new ProofArchive(proofsPath(flags)));
  try {
    return act(archive);
  } finally {
    archive.close();
  }
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError("must be a whole number above 0.");
  return Number(text);
}
