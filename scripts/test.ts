// Run by `npm test [-- PATTERN]` and by CI: everything there is to check, or the test files whose path has PATTERN in it.
import { readFile, rm } from "node:fs/promises";
import type { Ready } from "./ready.mjs";
import { canRunBehind, runBehind } from "./setup/behind.ts";
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

type Project = "unit" | "unseen" | "e2e" | "seen" | "timed";

/**
 * One after the other. What is judged by what a display shows, and when, waits half of its time: behind it runs what is
 * not, and has what it leaves of the processors.
 */
const STEPS: readonly { readonly project: Project; readonly behind?: Project }[] = [
  { project: "timed", behind: "unit" },
  { project: "seen", behind: "unseen" },
  { project: "e2e" },
];
const PROJECTS = STEPS.flatMap(({ project, behind }) => (behind === undefined ? [project] : [behind, project]));

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

  const display = await startDisplay();
  say.note(`\nElectron ${runtime.version}${runtime.fallback ? " (stand-in)" : ""} on ${display.name}`);
  const env = { ...process.env, NODE_COMPILE_CACHE: COMPILED, DISPLAY: display.name };
  const suite = (project: Project) => check(`tests: ${project}`, vitest(project, patterns), env);
  const suiteBehind = async (project: Project) => {
    if (signal.aborted) return;
    const { code, said } = await runBehind(process.execPath, vitest(project, patterns), { cwd: ROOT, env, signal });
    say.note(`\n── tests: ${project}\n${said}`);
    codes.push(code);
  };
  await Promise.all(PROJECTS.map((project) => rm(reportOf(project), { force: true })));
  try {
    if (canRunBehind()) {
      for (const { project, behind } of STEPS) {
        await Promise.all([suite(project), behind === undefined ? undefined : suiteBehind(behind)]);
      }
    } else for (const project of PROJECTS) await suite(project);
  } finally {
    await display.stop();
  }
  const tallies = await Promise.all(PROJECTS.map(readTally));
  const [passed, failed] = [tallies.map((one) => one.passed), tallies.map((one) => one.failed)];
  process.stdout.write(`\n${sum(passed)} passed, ${sum(failed)} failed\n`);
  return codes.find((code) => code !== 0) ?? 0;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function reportOf(project: Project): string {
  return `${ROOT}/dist/.test-report-${project}.json`;
}

function vitest(project: Project, patterns: readonly string[]): string[] {
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportOf(project)}`];
  const found = patterns.length > 0 ? ["--passWithNoTests"] : [];
  const which = ["run", "--config", "test/vitest.config.ts", "--project", project];
  return [`${MODULES}/vitest/vitest.mjs`, ...which, ...reporters, ...found, ...patterns];
}

/** A suite that could not start has left no report; its exit code tells. */
async function readTally(project: Project): Promise<Tally> {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(await readFile(reportOf(project), "utf8"));
    return { passed: numPassedTests, failed: numFailedTests };
  } catch {
    return { passed: 0, failed: 0 };
  }
}
