import { randomBytes } from "node:crypto";
import { Command, Option } from "commander";
import { examine, type Finding } from "./conformance/examine.ts";
import { CommandFailure } from "./exit.ts";

interface Flags {
  readonly baseUrl: string;
  readonly orgToken: string;
  readonly screenId: string;
  readonly controlUrl?: string;
  readonly json?: true;
}

/** `spotloop conformance`: whether a service keeps to the contract; 0 when it does, 1 when something failed. */
export function conformanceCommand(): Command {
  return new Command("conformance")
    .description("check that a service keeps to the contract; without --control-url nothing is changed there")
    .addOption(required("--base-url <url>", "where the service is", "SPOTLOOP_BASE_URL"))
    .addOption(required("--org-token <token>", "the organization's token", "SPOTLOOP_ORG_TOKEN"))
    .addOption(required("--screen-id <id>", "one of its screens", "SPOTLOOP_SCREEN_ID"))
    .addOption(new Option("--control-url <url>", CONTROL).env("SPOTLOOP_CONTROL_URL"))
    .option("--json", "print the findings as JSON")
    .action(run);
}

const CONTROL = "control API of an emulator: everything is checked, and its state and clock change";

/** An option that must be there, or in the environment, which keeps the token out of the list of processes. */
function required(flags: string, description: string, variable: string): Option {
  return new Option(flags, description).env(variable).makeOptionMandatory();
}

async function run({ baseUrl, orgToken, screenId, controlUrl, json }: Flags): Promise<void> {
  const target = { baseUrl, orgToken, screenId, controlUrl: controlUrl ?? null };
  const findings = await examine(target, randomBytes(4).toString("hex"));
  process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : table(findings));
  const failed = findings.filter(({ verdict }) => verdict === "failed").length;
  if (failed > 0) throw new CommandFailure(`${failed} of ${findings.length} checks failed`);
}

/** A line for each finding, its problems below it, and the sum. */
function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ id }) => id.length));
  const lines = findings.flatMap(({ id, name, verdict, problems }) => [
    `${verdict.padEnd(7)}  ${id.padEnd(width)}  ${name}`,
    ...problems.map((problem) => `${" ".repeat(11 + width)}- ${problem}`),
  ]);
  const sums = (["passed", "failed", "differs"] as const).map((verdict) => {
    return `${findings.filter((finding) => finding.verdict === verdict).length} ${verdict}`;
  });
  return [...lines, "", sums.join(", "), ""].join("\n");
}
