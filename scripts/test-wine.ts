// Run by `npm run test:wine [-- PATTERN…]`: the tests that make sense on Windows, and the command line, in a Windows made by
// wine. Ends with 1 where something fails that is not on the list of what wine is to blame for, or that list is wrong.
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootTable } from "../test/boot/table.ts";
import { tryCommands } from "../test/wine/commands.ts";
import { ONLY_WINE } from "../test/wine/exceptions.ts";
import { exceptionTable, type Judgement, judge, testsIn } from "../test/wine/judge.ts";
import { openWindows, type Windows } from "../test/wine/windows.ts";
import type { Ready } from "./ready.mjs";
import { prepare } from "./setup/prepare.ts";
import { Stop } from "./setup/stop.mjs";
import { ensureSystem } from "./setup/system.ts";

/** What makes sense there: all of the product but windows, displays and systemd, and nothing of this checkout's own scripts. */
const FOLDERS = [
  "core",
  "wire",
  "client",
  "player",
  "cli",
  "emulator",
  "scenarios",
  "main/boot",
  "main/decks",
  "main/protocol",
];
const [REPORT, LOG] = ["tests.json", "tests.log"];
/** What hangs is ended: one test, and all of them. Files and processes are slower in wine. */
const [SLOWEST_MS, WITHIN_MS] = [240_000, 60 * 60_000];
const STEP = "Testing with wine";

export async function run(patterns: readonly string[], ready: Ready): Promise<number> {
  if (process.getuid?.() !== 0)
    throw new Stop(STEP, "The Debian that has the wine is made, and entered, by root only.", "Run it as root.");
  await prepare(ready);
  await ensureSystem(["wine"], ready);
  const windows = await opened(ready);
  try {
    const { passed, skipped, excused, complaints } = await tests(windows, patterns, ready);
    const areCommandsWell = patterns.length > 0 || (await commands(windows, ready));
    process.stdout.write(`\n${windows.version}\n\n${exceptionTable(ONLY_WINE)}\n`);
    process.stdout.write(complaints.map((one) => `  wrong: ${one}\n`).join(""));
    const sums = [
      `${passed} passed`,
      `${excused} failed as listed`,
      `${skipped} skipped`,
      `${complaints.length} wrong`,
    ];
    process.stdout.write(`${sums.join(", ")}\n`);
    return complaints.length === 0 && areCommandsWell ? 0 : 1;
  } finally {
    await windows.close();
  }
}

async function opened({ say, signal }: Ready): Promise<Windows> {
  const step = say.begin("Making a Windows with wine");
  const windows = await openWindows(step.progress, signal);
  step.done(windows.version);
  return windows;
}

async function tests(windows: Windows, patterns: readonly string[], { say, signal }: Ready): Promise<Judgement> {
  const [report, log] = [join(windows.folder, REPORT), join(windows.folder, LOG)];
  const what = ["run", "--config", "test/vitest.config.ts", "--project", "unit"];
  const how = ["--reporter=default", "--reporter=json", `--outputFile.json=${REPORT}`];
  const patience = [`--testTimeout=${SLOWEST_MS}`, `--hookTimeout=${SLOWEST_MS}`];
  const which = patterns.length > 0 ? patterns : FOLDERS.map((name) => `test/${name}/`);
  const step = say.begin(`Running tests (what they say: ${log})`);
  const file = openSync(log, "w");
  const vitest = windows.node(["node_modules/vitest/vitest.mjs", ...what, ...how, ...patience, ...which], {
    stdio: ["ignore", file, file],
    env: { NO_COLOR: "1" },
  });
  const limit = AbortSignal.any([signal, AbortSignal.timeout(WITHIN_MS)]);
  limit.addEventListener("abort", () => void vitest.kill("SIGKILL"), { once: true });
  await once(vitest, "close");
  closeSync(file);
  if (!existsSync(report)) throw new Stop(STEP, lastLines(readFileSync(log, "utf8")), `See ${log}.`);
  step.done();
  const ran = testsIn(JSON.parse(readFileSync(report, "utf8")), windows.path);
  const judgement = judge(ran, ONLY_WINE, patterns.length === 0);
  // They are of no test, and so not in the report.
  const isSound = !readFileSync(log, "utf8").includes("Unhandled Errors");
  return isSound ? judgement : { ...judgement, complaints: [...judgement.complaints, `errors of no test: see ${log}`] };
}

function lastLines(text: string): string {
  return text.trim().split("\n").slice(-10).join("\n");
}

/** Whether the compiled command line does what it should. */
async function commands(windows: Windows, { say, signal }: Ready): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "spotloop-wine-"));
  const step = say.begin("Trying the command line");
  try {
    const steps = await tryCommands(windows, folder, step.progress, signal);
    step.done();
    process.stdout.write(`\n${bootTable(steps)}`);
    return steps.every(({ isDone }) => isDone);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
