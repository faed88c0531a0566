// Run by `npm test [-- PATTERN]` and by CI: everything there is to check, or the test files whose path has PATTERN in it.
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
const REPORT = `${ROOT}/dist/.test-report.json`;

export async function run(patterns: readonly string[], ready: Ready): Promise<number> {
  const { say, signal } = ready;
  const codes: number[] = [];
  const check = async (title: string, args: readonly string[], env = process.env) => {
    if (signal.aborted) return;
    say.note(`\n── ${title}`);
    codes.push(await passThrough(process.execPath, args, { cwd: ROOT, env }));
  };

  await check("lint and format", [`${MODULES}/@biomejs/biome/bin/biome`, "check", "."]);
  const runtime = await prepareElectron(["display", "displays", "sessions", "watching", "browser"], ready);
  // Where these are not there, tests are skipped: of a site's network, of another disk, of what monitors a fleet, of the unit
  // and of the role, and of Windows' installer.
  await offerSystem(["site", "disks", "monitoring", "broker", "machines", "installer"], ready);
  await check("types", [`${MODULES}/typescript/bin/tsc`, "--build"]);

  const suite = async (project: string, env: NodeJS.ProcessEnv = {}): Promise<Tally> => {
    await rm(REPORT, { force: true });
    const all = { ...process.env, NODE_COMPILE_CACHE: COMPILED, ...env };
    await check(`tests: ${project}`, vitest(project, patterns), all);
    return readTally();
  };
  const tallies = [await suite("unit")];
  const display = await startDisplay();
  say.note(`\nElectron ${runtime.version}${runtime.fallback ? " (stand-in)" : ""} on ${display.name}`);
  try {
    for (const project of ["e2e", "seen"]) tallies.push(await suite(project, { DISPLAY: display.name }));
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
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${REPORT}`];
  const found = patterns.length > 0 ? ["--passWithNoTests"] : [];
  const which = ["run", "--config", "test/vitest.config.ts", "--project", project];
  return [`${MODULES}/vitest/vitest.mjs`, ...which, ...reporters, ...found, ...patterns];
}

/** A suite that could not start has left no report; its exit code tells. */
async function readTally(): Promise<Tally> {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(await readFile(REPORT, "utf8"));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}
