import { once } from "node:events";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Emulator, startEmulator } from "../../src/emulator/main.ts";
import { type Step, StepFailed, Steps, until } from "../boot/steps.ts";
import type { Windows } from "./windows.ts";

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The compiled command line, run in Windows to its end. */
type Spotloop = (args: readonly string[], env?: NodeJS.ProcessEnv) => Promise<Ended>;

const STEP_MS = 120_000;
const LOOK_MS = 100;
const MAIN = "dist/cli/main.js";
const FREE_PORTS = ["--port", "0", "--media-port", "0", "--control-port", "0"];
/** A port that nobody listens on. */
const NOBODY = "http://127.0.0.1:9";

/**
 * Tries the compiled command line as people use it: in Windows against an emulator outside of it, and from outside against
 * one in Windows. Ends at the first step that fails. `folder`: an empty one, for the steps' own files.
 */
export async function tryCommands(
  windows: Windows,
  folder: string,
  progress: (text: string) => void,
  signal: AbortSignal,
): Promise<readonly Step[]> {
  const steps = new Steps(folder, progress, signal);
  const emulator = await startEmulator({ seed: 1 });
  const spotloop: Spotloop = async (args, env = {}) => {
    const { child, written } = started(windows, folder, [MAIN, ...args], env);
    const [code] = await once(child, "close");
    return { code, ...written() };
  };
  const { baseUrl, orgToken, screenId } = emulator;
  const vendor = { SPOTLOOP_BASE_URL: baseUrl, SPOTLOOP_ORG_TOKEN: orgToken };
  const refused = (name: string, code: number, args: readonly string[], env: NodeJS.ProcessEnv = vendor) =>
    steps.take(name, STEP_MS, async () => `${code}: ${firstLine((await expected(code, spotloop(args, env))).stderr)}`);
  try {
    await steps.take("spotloop --help", STEP_MS, async () => {
      const { stdout } = await expected(0, spotloop(["--help"]));
      return lineWith(stdout, "doctor");
    });
    await steps.take("spotloop locations get, of an emulator outside", STEP_MS, async () => {
      const { stdout } = await expected(0, spotloop(["locations", "get", "loc_harbour"], vendor));
      return lineWith(stdout, "loc_harbour");
    });
    await refused("a command that there is not", 64, ["plya"]);
    await refused("no configuration at all", 78, ["screens", "get", screenId], {});
    await refused("a token that is not accepted", 77, ["screens", "get", screenId], {
      ...vendor,
      SPOTLOOP_ORG_TOKEN: "other",
    });
    await refused("a service that is not there", 69, ["screens", "get", screenId], {
      ...vendor,
      SPOTLOOP_BASE_URL: NOBODY,
    });
    await steps.take("spotloop doctor, by a configuration on a drive", STEP_MS, () =>
      examined(windows, emulator, spotloop),
    );
    await steps.take("spotloop emulator, asked from outside", STEP_MS, (ending) =>
      emulatorInside(windows, folder, ending),
    );
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
  } finally {
    await emulator.close();
  }
  return steps.all;
}

/** The doctor finds nothing failed with a configuration, a token and a data folder beside it. */
async function examined(windows: Windows, { baseUrl, orgToken, screenId }: Emulator, spotloop: Spotloop) {
  writeFileSync(join(windows.folder, "org-token"), `${orgToken}\r\n`);
  const dataDir = `${windows.path}\\data für proofs`;
  const config = { baseUrl, screenId, orgTokenFile: "org-token", dataDir };
  writeFileSync(join(windows.folder, "config.json"), JSON.stringify(config));
  const { stdout } = await expected(0, spotloop(["doctor", "--json", "--config", `${windows.path}\\config.json`]));
  const { findings } = JSON.parse(stdout) as { findings: { name: string; verdict: string; text: string }[] };
  const folder = findings.find(({ name }) => name === "data folder");
  if (!folder?.text.startsWith(dataDir)) throw new Error(`the data folder is ${folder?.text}`);
  return `${findings.filter(({ verdict }) => verdict === "ok").length} of ${findings.length} findings ok, none failed`;
}

/** An emulator in Windows answers a player outside with a spot, its media and its proofs. */
async function emulatorInside(windows: Windows, folder: string, signal: AbortSignal): Promise<string> {
  const { child, written } = started(windows, folder, [MAIN, "emulator", ...FREE_PORTS], {});
  try {
    const line = await until(signal, async () => /^.+$/m.exec(written().stdout)?.[0] ?? null, LOOK_MS);
    const { baseUrl, orgToken, screenId } = JSON.parse(line);
    const reply = await fetch(`${baseUrl}/v3/vendor/${orgToken}/1/rt_ad/${screenId}`);
    const urls = (await reply.text()).match(/http:[^"]+/g) ?? [];
    const codes = await Promise.all(urls.map(async (url) => (await fetch(url)).status));
    if (codes.length === 0 || codes.some((code) => code !== 200)) throw new Error(`${urls} answered ${codes}`);
    return `a spot with ${codes.length} addresses, all of which answered 200`;
  } finally {
    child.kill("SIGKILL");
  }
}

/** Starts Node in Windows, and tells at any time what it has written. */
function started(windows: Windows, folder: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const [stdout, stderr] = [join(folder, "stdout"), join(folder, "stderr")];
  const files = [openSync(stdout, "w"), openSync(stderr, "w")] as const;
  const child = windows.node(args, { stdio: ["ignore", ...files], env });
  for (const file of files) closeSync(file);
  return { child, written: () => ({ stdout: readFileSync(stdout, "utf8"), stderr: readFileSync(stderr, "utf8") }) };
}

async function expected(code: number, running: Promise<Ended>): Promise<Ended> {
  const found = await running;
  if (found.code === code) return found;
  throw new Error(`ended with ${found.code}, not ${code}: ${found.stderr.trim() || found.stdout.trim()}`);
}

function lineWith(printed: string, word: string): string {
  const line = printed.split("\n").find((one) => one.includes(word));
  if (line === undefined) throw new Error(`it printed no ${word}: ${printed}`);
  return line.trim();
}

function firstLine(printed: string): string {
  return printed.trim().split("\n", 1)[0] ?? "";
}
