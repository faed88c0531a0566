import { Command } from "commander";
import type { DayReport, Sums } from "../player/proofs/day-report.ts";
import { ProofArchive } from "../player/proofs/proof-archive.ts";
import { dayOf, type FolderFlags, folderOptions, orFailure, proofsPath } from "./proofs/folder.ts";
import { seconds } from "./proofs/write.ts";
import { table } from "./text.ts";

interface Flags extends FolderFlags {
  readonly day?: string;
  readonly timeZone: string;
  readonly json?: true;
}

/** `spotloop report`: a day by its hours, read while the player runs. */
export function reportCommand(): Command {
  const command = new Command("report").description(
    "what a player showed and proved on a day, by the hour; kept for 30 days",
  );
  for (const option of folderOptions()) command.addOption(option);
  return command
    .option("--day <YYYY-MM-DD>", "the day (default: today)")
    .option("--time-zone <zone>", "whose day it is, such as Europe/Berlin", "UTC")
    .option("--json", "print it as JSON")
    .addHelpText("after", EXAMPLES)
    .action(run);
}

const EXAMPLES = `
Examples:
  spotloop report --day 2026-01-31
  spotloop report --day 2026-01-31 --time-zone America/New_York --json
`;

function run({ day, timeZone, json, ...folder }: Flags): void {
  const asked = dayOf(day ?? todayIn(timeZone), timeZone);
  const archive = orFailure(() => new ProofArchive(proofsPath(folder)));
  const report = archive.report(asked);
  archive.close();
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : textOf(report));
}

function todayIn(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat("sv", { timeZone, dateStyle: "short" }).format(new Date());
  } catch {
    // Said in words by whoever reads the zone.
    return "1970-01-01";
  }
}

const HEADING = ["hour", "slots", "fills", "news", "ads", "failed", "delivered", "refused", "expired", "owed"];
const DELAYS = ["p50", "p95", "p99", "max"] as const;

/** Hours in which nothing happened are left out. */
function textOf({ day, timeZone, total, hours }: DayReport): string {
  const rows = hours.filter((sums) => !isEmpty(sums)).map(({ hour, ...sums }) => [hour, ...cellsOf(sums)]);
  const heading = [...HEADING, ...DELAYS.map((share) => `delay ${share}`)];
  const figures = heading.map((_, column) => column).slice(1);
  const lines = table([heading, ...rows, ["total", ...cellsOf(total)]], "", figures);
  const reasons = Object.entries(total.failed).sort(([, one], [, other]) => other - one);
  const failed = reasons.map(([reason, count]) => `  ${reason}: ${count}`);
  const why = failed.length === 0 ? [] : ["", "failed, by reason:", ...failed];
  return [`${day} (${timeZone})`, "", ...lines, ...why, ""].join("\n");
}

function cellsOf({ slots, fills, shown, failed, proofs, delayMs }: Sums): string[] {
  const counts = [slots, fills, shown.news, shown.ad, Object.values(failed).reduce((sum, count) => sum + count, 0)];
  const states = [proofs.delivered, proofs.refused, proofs.expired, proofs.owed];
  return [
    ...[...counts, ...states].map(String),
    ...DELAYS.map((share) => (delayMs === null ? "" : seconds(delayMs[share]))),
  ];
}

function isEmpty({ slots, shown, failed }: Sums): boolean {
  return slots === 0 && shown.news === 0 && shown.ad === 0 && Object.keys(failed).length === 0;
}
