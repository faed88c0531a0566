// Run by `npm test [-- PATTERN]` and by CI: everything there is to check, or the test files whose path has PATTERN in it.
import { open, readFile, rm } from "node:fs/promises";
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

/** Those of test/vitest.config.ts. */
type Project = "unit" | "e2e" | "timed";

const MODULES = `${ROOT}/node_modules`;
/** Commands are started some thousand times: they are compiled once. */
const COMPILED = `${MODULES}/.cache/spotloop/compiled`;
const TIMED_OUTPUT = `${ROOT}/dist/.test-timed.log`;
/** The niceness of what runs beside the watched tests, which wait for most of their time; pages of a player have 10. */
const YIELDING = 9;

export async function run(patterns: readonly string[], ready: Ready): Promise<number> {
  const { say, signal } = ready;
  const codes: number[] = [];
  const check = async (title: string, args: readonly string[]) => {
    if (signal.aborted) return;
    say.note(`\n── ${title}`);
    codes.push(await passThrough(process.execPath, args, { cwd: ROOT }));
  };

  await check("lint and format", [`${MODULES}/@biomejs/biome/bin/biome`, "check", "."]);
  const runtime = await prepareElectron(["display", "displays", "sessions", "watching", "browser"], ready);
  // Where these are not there, tests are skipped: of a site's network, of what monitors a fleet, of the unit and of the role,
  // and of Windows' installer.
  await offerSystem(["site", "monitoring", "broker", "machines", "installer"], ready);
  await check("types", [`${MODULES}/typescript/bin/tsc`, "--build"]);
  if (signal.aborted) return 1;

  const display = await startDisplay();
  say.note(`\nElectron ${runtime.version}${runtime.fallback ? " (stand-in)" : ""} on ${display.name}`);
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILED, DISPLAY: display.name };
  try {
    const watched = watchedTests(patterns, env);
    for (const project of ["unit", "e2e"] as const) {
      if (signal.aborted) break;
      say.note(`\n── tests: ${project}`);
      const args = ["-n", String(YIELDING), process.execPath, ...vitest(project, patterns)];
      codes.push(await passThrough("nice", args, { cwd: ROOT, env: { ...env, SPOTLOOP_TESTS_YIELD: "1" } }));
    }
    codes.push(await watched);
    say.note("\n── tests: timed");
    process.stdout.write(await readFile(TIMED_OUTPUT, "utf8"));
  } finally {
    await display.stop();
  }
  const tallies = await Promise.all((["unit", "e2e", "timed"] as const).map(takeTally));
  const [passed, failed] = [tallies.map((one) => one.passed), tallies.map((one) => one.failed)];
  process.stdout.write(`\n${sum(passed)} passed, ${sum(failed)} failed\n`);
  return codes.find((code) => code !== 0) ?? 0;
}

/** Runs what is watched frame by frame; what it says goes to a file, since two that print at a time cannot be read. */
async function watchedTests(patterns: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const output = await open(TIMED_OUTPUT, "w");
  const stdio = ["ignore", output.fd, output.fd] as const;
  try {
    return await passThrough(process.execPath, vitest("timed", patterns), { cwd: ROOT, env, stdio: [...stdio] });
  } finally {
    await output.close();
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function reportOf(project: Project): string {
  return `${ROOT}/dist/.test-${project}.json`;
}

function vitest(project: Project, patterns: readonly string[]): string[] {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportOf(project)}`];
  const found = patterns.length > 0 ? ["--passWithNoTests"] : [];
  const which = ["run", "--config", "test/vitest.config.ts", "--project", project];
  return [`${MODULES}/vitest/vitest.mjs`, ...which, ...reporters, ...found, ...patterns];
}

/** Reads a suite's report, and removes it; one that could not start has left none, and its exit code tells. */
async function takeTally(project: Project): Promise<Tally> {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(await readFile(reportOf(project), "utf8"));
    await rm(reportOf(project));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}
