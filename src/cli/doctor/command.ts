import { Command } from "commander";
import { readAccess } from "../../player/config/access.ts";
import { CommandFailure, exitCodes } from "../exit.ts";
import { plain, print, printJson, say, styled, wrapped } from "../text.ts";
import { type ConnectionFlags, overruled, withConnection } from "../vendor/connection.ts";
import { writeBundle } from "./bundle.ts";
import { type Examination, examine } from "./examine.ts";
import { codeOf, type Finding } from "./finding.ts";

interface DoctorFlags extends ConnectionFlags {
  readonly bundle?: string;
}

/** `spotloop doctor`: what keeps this machine from showing spots, and what to do about it. */
export function doctorCommand(): Command {
  const command = new Command("doctor")
    .description("look at everything a player needs, and say what to do about what is wrong")
    .option("--bundle <file>", "write the findings, the configuration and the end of the log, without the token")
    .addHelpText("after", HELP)
    .action(doctor);
  return withConnection(command);
}

const HELP = `
It changes nothing. It asks for one spot, which is not played.

Ends with 0 when nothing failed, else with the first that fits: 78 the configuration, 77 the token,
69 the service or its media, 1 this machine.

Examples:
  spotloop doctor --config /etc/spotloop/config.json
  spotloop doctor --bundle bundle.json`;

async function doctor(flags: DoctorFlags): Promise<void> {
  const env = overruled(flags, process.env);
  const path = flags.config ?? null;
  const examination = await examine(path, env);
  const { findings } = examination;
  if (flags.json) printJson(report(findings));
  else print(...findingLines(findings));
  if (flags.bundle !== undefined) bundle(flags.bundle, examination, flags);
  const code = codeOf(findings);
  if (code !== exitCodes.stopped) throw new CommandFailure("", code);
}

/** What machines read. */
export function report(findings: readonly Finding[]) {
  const listed = findings.map(({ name, verdict, text, advice }) => ({ name, verdict, text, advice }));
  return { ok: findings.every(({ verdict }) => verdict !== "failed"), findings: listed };
}

/** A line for each finding, what to do below it, and the sums. */
export function findingLines(findings: readonly Finding[]): string[] {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const indent = " ".repeat(width + 11);
  const sums = (["ok", "warning", "failed"] as const).map((verdict) => {
    return `${findings.filter((finding) => finding.verdict === verdict).length} ${verdict}`;
  });
  return [
    ...findings.flatMap(({ name, verdict, text, advice }) => {
      const [first = "", ...more] = wrapped(plain(text), indent);
      const head = `${painted(verdict)}  ${name.padEnd(width)}  ${first.trimStart()}`;
      return [head, ...more, ...(advice === null ? [] : wrapped(plain(advice), indent))];
    }),
    "",
    sums.join(", "),
  ];
}

const COLOURS = { ok: "green", warning: "yellow", failed: "red" } as const;

function painted(verdict: Finding["verdict"]): string {
  return styled(COLOURS[verdict], verdict.padEnd(7));
}

function bundle(file: string, examination: Examination, flags: DoctorFlags): void {
  const env = overruled(flags, process.env);
  const access = readAccess({ path: flags.config ?? null, env });
  const secrets = [
    ...(access.kind === "ok" ? [access.access.orgToken] : []),
    ...(process.env.SPOTLOOP_ORG_TOKEN ? [process.env.SPOTLOOP_ORG_TOKEN] : []),
  ];
  try {
    writeBundle(file, examination, env, secrets);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unknown";
    throw new CommandFailure(`${file} cannot be written (${code})`, exitCodes.failed);
  }
  say(`The bundle is ${file}; the token is not in it.`);
}
