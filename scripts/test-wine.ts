// Run by `npm run test:wine [-- PATTERN…]`: the tests that make sense on Windows, the command line, and what makes a kiosk, in
// a Windows made by wine. Ends with 1 where something fails that is not on the list of what wine is to blame for, or that list is wrong.
import { once } from "node:events";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Step } from "../test/boot/steps.ts";
import { bootTable } from "../test/boot/table.ts";
import { tryCommands } from "../test/wine/commands.ts";
import { ONLY_WINE } from "../test/wine/exceptions.ts";
import { exceptionTable, type Judgement, judge, testsIn } from "../test/wine/judge.ts";
import { tryKiosk } from "../test/wine/kiosk.ts";
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
/** What hangs is ended: one test, and all of them. Wine is slow, and slower still beside other work. */
const [SLOWEST_MS, WITHIN_MS] = [600_000, 120 * 60_000];
const STEP = "Testing with wine";

export async function run(patterns: readonly string[], ready: Ready): Promise<number> {
  if (process.getuid?.() !== 0)
    throw new Stop(STEP, "The Debian that has the wine is made, and entered, by root only.", "Run it as root.");
  await prepare(ready);
  await ensureSystem(["wine", "installer"], ready);
  const windows = await opened(ready);
  try {
    const { passed, skipped, excused, complaints } = await tests(windows, patterns, ready);
    const isRestWell = patterns.length > 0 || ((await kiosk(windows, ready)) && (await commands(windows, ready)));
    process.stdout.write(`\n${windows.version}\n\n${exceptionTable(ONLY_WINE)}\n`);
    process.stdout.write(complaints.map((one) => `  wrong: ${one}\n`).join(""));
    const sums = [
      `${passed} passed`,
      `${excused} failed as listed`,
      `${skipped} skipped`,
      `${complaints.length} wrong`,
    ];
    process.stdout.write(`${sums.join(", ")}\n`);
    return complaints.length === 0 && isRestWell ? 0 : 1;
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
async function commands(windows: Windows, ready: Ready): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), "spotloop-wine-"));
  try {
    return await areDone("Trying the command line", ready, (...how) => tryCommands(windows, folder, ...how));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the installer and the supervisor do what they should. */
function kiosk(windows: Windows, ready: Ready): Promise<boolean> {
  return areDone("Trying the installer and the supervisor", ready, (...how) => tryKiosk(windows, ...how));
}

async function areDone(
  title: string,
  { say, signal }: Ready,
  act: (progress: (text: string) => void, signal: AbortSignal) => Promise<readonly Step[]>,
): Promise<boolean> {
  const step = say.begin(title);
  const steps = await act(step.progress, signal);
  step.done();
  process.stdout.write(`\n${bootTable(steps)}`);
  return steps.every(({ isDone }) => isDone);
}
