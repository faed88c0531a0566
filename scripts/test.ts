// Run by `npm test [-- PATTERN]` and by CI: everything there is to check, or the test files whose path has PATTERN in it.
import type { SpawnOptions, StdioOptions } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import type { Ready } from "./ready.mjs";
import { startDisplay } from "./setup/display.ts";
import { passThrough } from "./setup/pass-through.mjs";
import { ROOT } from "./setup/paths.mjs";
import { prepareElectron } from "./setup/prepare.ts";
import { offerSystem } from "./setup/system.ts";

interface Tally {
  readonly passed: number;
  readonly failed: number;
}

const MODULES = `${ROOT}/node_modules`;
/** Commands are started some thousand times: they are compiled once. */
const COMPILED = `${MODULES}/.cache/spotloop/compiled`;
const reportOf = (project: string) => `${ROOT}/dist/.test-report-${project}.json`;
/** What a suite that runs beside another says, until it has ended. */
const ASIDE = `${ROOT}/dist/.test-aside.log`;

export async function run(patterns: readonly string[], ready: Ready): Promise<number> {
  const { say, signal } = ready;
  const codes: number[] = [];
  const start = async (args: readonly string[], options: SpawnOptions = {}) => {
    if (!signal.aborted) codes.push(await passThrough(process.execPath, args, { cwd: ROOT, ...options }));
  };
  const check = async (title: string, args: readonly string[]) => {
    say.note(`\n── ${title}`);
    await start(args);
  };

  await check("lint and format", [`${MODULES}/@biomejs/biome/bin/biome`, "check", "."]);
  const runtime = await prepareElectron(["display", "displays", "sessions", "watching", "browser"], ready);
  // Where these are not there, tests are skipped: of a site's network, of what monitors a fleet, of the unit and of the role,
  // and of Windows' installer.
  await offerSystem(["site", "monitoring", "broker", "machines", "installer"], ready);
  await check("types", [`${MODULES}/typescript/bin/tsc`, "--build"]);

  const suite = async (project: string, env: NodeJS.ProcessEnv = {}, stdio: StdioOptions = "inherit") => {
    await rm(reportOf(project), { force: true });
    await start(vitest(project, patterns), { env: { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...env }, stdio });
    return readTally(project);
  };
  /** A suite that says nothing until it has ended, so that another can run beside it. */
  const aside = async (project: string, env: NodeJS.ProcessEnv) => {
    const file = openSync(ASIDE, "w");
    const tally = await suite(project, env, ["ignore", file, file]);
    closeSync(file);
    process.stdout.write(await readFile(ASIDE));
    return tally;
  };
  const display = await startDisplay();
  const env = { DISPLAY: display.name };
  say.note(`\nElectron ${runtime.version}${runtime.fallback ? " (stand-in)" : ""} on ${display.name}`);
  const tallies: Tally[] = [];
  try {
    say.note("\n── tests: unit, and e2e beside it");
    tallies.push(...(await Promise.all([suite("unit"), aside("e2e", env)])));
    for (const project of ["seen", "timed"]) {
      say.note(`\n── tests: ${project}`);
      tallies.push(await suite(project, env));
    }
  } finally {
    await display.stop();
  }
  const [passed, failed] = [tallies.map((one) => one.passed), tallies.map((one) => one.failed)];
  process.stdout.write(`\n${sum(passed)} passed, ${sum(failed)} failed\n`);
  return codes.find((code) => code !== 0) ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function vitest(project: string, patterns: readonly string[]): string[] {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportOf(project)}`];
  const found = patterns.length > 0 ? ["--passWithNoTests"] : [];
  const which = ["run", "--config", "test/vitest.config.ts", "--project", project];
  return [`${MODULES}/vitest/vitest.mjs`, ...which, ...reporters, ...found, ...patterns];
}

/** A suite that could not start has left no report; its exit code tells. */
async function readTally(project: string): Promise<Tally> {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(await readFile(reportOf(project), "utf8"));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}
