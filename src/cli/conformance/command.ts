import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { Command, Option } from "commander";
import { readOrgToken } from "../../player/config/file.ts";
import { problemsOf } from "../../player/config/problems.ts";
import { configFileSchema } from "../../player/config/schema.ts";
import { requestsBy, uplinkIn } from "../../player/network/uplink.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { plain } from "../text.ts";
import { endIfFlawed } from "../vendor/calls.ts";
import { tokenFlaw } from "../vendor/connection.ts";
import { examine, type Finding } from "./examine.ts";
import { NoAnswer, type Target } from "./subject.ts";

interface Flags {
  readonly baseUrl: string;
  readonly orgTokenFile?: string;
  readonly screenId: string;
  readonly controlUrl?: string;
  readonly json?: true;
}

/** `spotloop conformance`: whether a service keeps to the contract; 0 when it does, 1 when something failed or nothing answers. */
export function conformanceCommand(): Command {
  return new Command("conformance")
    .description("check that a service keeps to the contract; without --control-url nothing is changed there")
    .addOption(required("--base-url <url>", "where the service is", "SPOTLOOP_BASE_URL"))
    .addOption(new Option("--org-token-file <file>", TOKEN).env("SPOTLOOP_ORG_TOKEN_FILE"))
    .addOption(required("--screen-id <id>", "one of its screens", "SPOTLOOP_SCREEN_ID"))
    .addOption(new Option("--control-url <url>", CONTROL).env("SPOTLOOP_CONTROL_URL"))
    .option("--json", "print the findings as JSON")
    .action(run);
}

const CONTROL = "control API of an emulator: everything is checked, in a fork of its network that is closed in the end";

const TOKEN = "a file with the organization's token (or the token itself in SPOTLOOP_ORG_TOKEN)";

/** An option that must be there, or in the environment. */
function required(flags: string, description: string, variable: string): Option {
  return new Option(flags, description).env(variable).makeOptionMandatory();
}

async function run({ baseUrl, orgTokenFile, screenId, controlUrl, json }: Flags): Promise<void> {
  checkAddresses({ "--base-url": baseUrl, "--control-url": controlUrl });
  const orgToken = tokenFrom(orgTokenFile);
  const { fetch } = requestsBy(uplinkIn(process.env));
  const target = { baseUrl, orgToken, screenId, controlUrl: controlUrl ?? null, fetch };
  const findings = await examined(target);
  process.stdout.write(json ? `${JSON.stringify(findings, null, 2)}\n` : table(findings));
  const failed = findings.filter(({ verdict }) => verdict === "failed").length;
  if (failed > 0) throw new CommandFailure(`${failed} of ${findings.length} checks failed`);
}

/** Ends the command where an address is none that a player could be given. */
function checkAddresses(addresses: Readonly<Record<string, string | undefined>>): void {
  const flaws = Object.entries(addresses).flatMap(([where, address]) => {
    const read = configFileSchema.shape.baseUrl.optional().safeParse(address);
    return read.success ? [] : problemsOf(read.error, address).map(({ message }) => ({ where, message }));
  });
  endIfFlawed(flaws.map((flaw) => ({ ...flaw, kind: "usage" })));
}

/** Takes everything back before it ends, asked to stop by the user or the system included. */
async function examined(target: Target): Promise<Finding[]> {
  const stop = new AbortController();
  const interrupt = () =>
    stop.abort(new CommandFailure("Interrupted; everything is as it was.", exitCodes.interrupted));
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await examine(target, randomBytes(4).toString("hex"), stop.signal);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (error instanceof NoAnswer) throw new CommandFailure(error.message);
    throw new CommandFailure(
      `${target.controlUrl} cannot be used: ${error instanceof Error ? error.message : String(error)}`,
    );
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The token is never an argument: the list of processes shows those to everybody on the machine. */
function tokenFrom(file: string | undefined): string {
  const said = process.env.SPOTLOOP_ORG_TOKEN || null;
  const reading = readOrgToken(file === undefined ? said : null, file === undefined ? null : resolve(file), {});
  const flaw = reading.kind === "token" ? tokenFlaw(reading.token) : reading.problem.message;
  if (reading.kind === "token" && flaw === null) return reading.token;
  const where = file === undefined ? "The organization's token" : "--org-token-file";
  const message = `${where} ${flaw?.replace(/, and so is orgTokenFile$/, "")}`;
  throw new CommandFailure(`${message}. Give --org-token-file or SPOTLOOP_ORG_TOKEN.`, exitCodes.usage);
}

/** A line for each finding, its problems below it, and the sum. */
function table(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ id }) => id.length));
  const lines = findings.flatMap(({ id, name, verdict, problems }) => [
    `${verdict.padEnd(7)}  ${id.padEnd(width)}  ${name}`,
    ...problems.map((problem) => `${" ".repeat(11 + width)}- ${plain(problem)}`),
  ]);
  const sums = (["passed", "failed", "differs"] as const).map((verdict) => {
    return `${findings.filter((finding) => finding.verdict === verdict).length} ${verdict}`;
  });
  return [...lines, "", sums.join(", "), ""].join("\n");
}
