import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { readAccess } from "../../player/config/access.ts";
import type { Environment } from "../../player/config/environment.ts";
import { redactor } from "../../player/log/log.ts";
import { secretsOf } from "../../player/network/uplink.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { plain, print, printJson, say, styled, wrapped, writePrivateFile } from "../text.ts";
import { type ConnectionFlags, overruled, withConnection } from "../vendor/connection.ts";
import { type Examination, examine } from "./examine.ts";
import { codeOf, type Finding } from "./finding.ts";

interface DoctorFlags extends ConnectionFlags {
  readonly bundle?: string;
}

/** `spotloop doctor`: what keeps this machine from showing spots, and what to do about it. */
export function doctorCommand(): Command {
  const command = new Command("doctor")
    .description("look at everything a player needs, and say what to do about what is wrong")
    .option(
      "--bundle <file>",
      "write the findings, the configuration and the end of the log, without the token; -: print them",
    )
    .addHelpText("after", HELP)
    .action(doctor);
  return withConnection(command);
}

const HELP = `
It changes nothing. It asks for one spot, which is not played. At the broker of remote commands, where there
is one, it logs in as the player, unless that is connected.

A bundle goes into a file that only its owner reads. Where the command does what root asks for as the
player's user, --bundle - has the shell write it.

Ends with 0 when nothing failed, else with the first that fits: 78 the configuration, 77 the token,
69 the service or its media, 1 this machine.

Examples:
  spotloop doctor --config /etc/spotloop/config.json
  spotloop doctor --bundle bundle.json
  sudo spotloop doctor --bundle - > bundle.json`;

async function doctor(flags: DoctorFlags): Promise<void> {
  const env = overruled(flags, process.env);
  const path = flags.config ?? null;
  const examination = await examine(path, env);
  const { findings } = examination;
  // A bundle that is printed is printed alone.
  if (flags.bundle === STANDARD_OUTPUT) say(...findingLines(findings), "");
  else if (flags.json) printJson(report(findings));
  else print(...findingLines(findings));
  if (flags.bundle !== undefined) bundle(flags.bundle, examination, flags);
  const code = codeOf(findings);
  if (code !== exitCodes.stopped) throw new CommandFailure("", code);
}

/** What `--bundle` names it by. */
const STANDARD_OUTPUT = "-";

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
    ...(access.kind === "ok" ? [access.access.orgToken, ...secretsOf(access.access.uplink)] : []),
    ...(process.env.SPOTLOOP_ORG_TOKEN ? [process.env.SPOTLOOP_ORG_TOKEN] : []),
  ];
  const text = bundleText(examination, env, secrets);
  if (file === STANDARD_OUTPUT) process.stdout.write(text);
  else writePrivateFile(file, text);
  say(`The bundle is ${file === STANDARD_OUTPUT ? "on standard output" : file}; the token is not in it.`);
}

/** The last of the log: hours on a screen that plays, and small enough to send by mail. */
const LOG_BYTES = 256 * 1024;

/**
 * What somebody needs who is to help from afar, as JSON: the findings, the configuration, Spotloop's part of the
 * environment, the end of the log. `secrets` are in none of it.
 */
function bundleText(
  { findings, config, path, dataDir }: Examination,
  env: Environment,
  secrets: readonly string[],
): string {
  const { orgToken: _, screens = [], ...told } = config ?? {};
  const [only] = screens;
  const bundle = {
    writtenAt: new Date().toISOString(),
    findings,
    configuration: { path, ...told, ...(screens.length === 1 ? only : { screens }), orgToken: "[redacted]" },
    environment: Object.fromEntries(Object.entries(env).filter(([name, value]) => isTold(name, value))),
    log: logTail(config?.log.dir ?? join(dataDir, "logs")),
  };
  return redactor(secrets)(`${JSON.stringify(bundle, null, 2)}\n`);
}

/** Variables that say how Spotloop runs; not the one that is the token, nor a proxy's address with a password in it. */
function isTold(name: string, value = ""): boolean {
  if (name === "SPOTLOOP_ORG_TOKEN" || (name === "SPOTLOOP_NETWORK_PROXY" && value.includes("@"))) return false;
  return name.startsWith("SPOTLOOP_") || ["DISPLAY", "WAYLAND_DISPLAY", "XDG_SESSION_TYPE", "LANG"].includes(name);
}

/** The last lines of the log, from as many files as it takes: the newest may have only begun. Others' logs are not told. */
function logTail(folder: string): readonly string[] {
  try {
    const own = readdirSync(folder).filter((name) => /^spotloop\.\d+\.log$/.test(name));
    const files = own.map((name) => join(folder, name));
    const dated = files.map((file) => ({ file, at: statSync(file).mtimeMs })).sort((one, other) => other.at - one.at);
    let text = "";
    for (const { file } of dated) {
      if (text.length > LOG_BYTES) break;
      text = `${readFileSync(file, "utf8")}\n${text}`;
    }
    const lines = text.slice(-LOG_BYTES).split("\n");
    // What is cut off begins within a line.
    return (text.length > LOG_BYTES ? lines.slice(1) : lines).filter((line) => line !== "");
  } catch {
    return [];
  }
}
