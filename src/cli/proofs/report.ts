import { join } from "node:path";
import { Command } from "commander";
import { type DataMonth, readDataMonth } from "../../player/network/data-meter.ts";
import type { DayReport, Sums } from "../../player/proofs/day-report.ts";
import { ProofArchive } from "../../player/proofs/proof-archive.ts";
import type { RefusedProof } from "../../player/proofs/proof-records.ts";
import { table } from "../text.ts";
import { dataDirOf, dayOf, type FolderFlags, folderOptions, proofsPath, withArchive } from "./flags.ts";
import { refusedText, seconds } from "./write.ts";

interface Flags extends FolderFlags {
  readonly day: string;
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
    .option("--day <day>", "YYYY-MM-DD, today or yesterday", "today")
    .option("--time-zone <zone>", "whose day it is, such as Europe/Berlin", "UTC")
    .option("--json", "print it as JSON")
    .addHelpText("after", EXAMPLES)
    .action(run);
}

const EXAMPLES = `
Examples:
  spotloop report --day yesterday
  spotloop report --day 2026-01-31 --time-zone America/New_York --json
`;

function run({ day, timeZone, json, ...folder }: Flags): void {
  const asked = dayOf(day, timeZone);
  const path = proofsPath(folder);
  const [report, refused] = withArchive(
    path,
    ProofArchive,
    (archive) => [archive.report(asked), archive.lastRefused(asked)] as const,
  );
  const data = readDataMonth(join(dataDirOf(folder), "media.db"), asked.day.slice(0, MONTH_LENGTH));
  const lastRefused = refused === null ? null : { ...refused, at: new Date(refused.at).toISOString() };
  const whole = { ...report, lastRefused, data };
  process.stdout.write(json ? `${JSON.stringify(whole, null, 2)}\n` : textOf(report, refused, data));
}

const MONTH_LENGTH = "2026-11".length;

const HEADING = ["hour", "slots", "fills", "news", "ads", "failed", "delivered", "refused", "expired", "owed"];
const DELAYS = ["p50", "p95", "p99", "max"] as const;

/** Hours in which nothing happened are left out. */
function textOf(
  { day, timeZone, total, hours }: DayReport,
  refused: RefusedProof | null,
  data: DataMonth | null,
): string {
  const rows = hours.filter((sums) => !isEmpty(sums)).map(({ hour, ...sums }) => [hour, ...cellsOf(sums)]);
  const heading = [...HEADING, ...DELAYS.map((share) => `delay ${share}`)];
  const figures = heading.map((_, column) => column).slice(1);
  const lines = table([heading, ...rows, ["total", ...cellsOf(total)]], "", figures);
  const reasons = Object.entries(total.failed).sort(([, one], [, other]) => other - one);
  const failed = reasons.map(([reason, count]) => `  ${reason}: ${count}`);
  const why = failed.length === 0 ? [] : ["", "failed, by reason:", ...failed];
  const unpaid = refused === null ? [] : ["", `last refused proof: ${refusedText(refused, timeZone)}`];
  return [`${day} (${timeZone})`, "", ...lines, ...why, ...unpaid, ...dataLines(data), ""].join("\n");
}

/** The month is that of the machine's own clock, whatever zone the day is of. */
function dataLines(data: DataMonth | null): string[] {
  if (data === null) return [];
  const { month, usedBytes, monthlyBytes, refused } = data;
  const figure = (bytes: number) => bytes.toLocaleString("en-US");
  const limit = monthlyBytes === null ? "" : ` of ${figure(monthlyBytes)}`;
  const lacked = refused === 0 ? "" : `; ${refused} downloads were too much`;
  return ["", `media downloaded in ${month}: ${figure(usedBytes)}${limit} bytes${lacked}`];
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
