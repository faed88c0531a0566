import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Emulator } from "../../../src/emulator/main.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { type Ended, runWith } from "../running.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** What is typed or piped into it; in a process of its own. */
  readonly stdin?: string;
  /** Arguments of Node itself; in a process of its own. */
  readonly node?: readonly string[];
}

/** A command line that nobody sits at, and what came of it. */
export type Spotloop = (args: readonly string[], surroundings?: Surroundings) => Promise<Ended>;

/**
 * The command line with this environment and nothing else around it: no configuration, no cache but its own. It runs in
 * this process, whose modules are loaded already, unless it needs one of its own.
 */
export function spotloopWith(env: Readonly<Record<string, string>>): Spotloop {
  const home = temporaryFolder();
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const xdg = { XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home, XDG_DATA_HOME: join(home, ".local/share") };
  const base = { PATH, NODE_COMPILE_CACHE, HOME: home, ...xdg, ...windowsOf(home), ...env };
  return (args, { env: more = {}, stdin, node } = {}) => {
    const whole = { ...base, ...more };
    if (stdin === undefined && node === undefined) return runWith(whole, home, args);
    return spawned([...(node ?? []), MAIN, ...args], whole, home, stdin ?? "");
  };
}

/** What no process of Windows is without, and the places of a user whose profile is in this folder. */
function windowsOf(home: string): Readonly<Record<string, string>> {
  if (process.platform !== "win32") return {};
  const { SystemRoot = "", TEMP = "", TMP = "" } = process.env;
  return { SystemRoot, TEMP, TMP, USERPROFILE: home, APPDATA: home, LOCALAPPDATA: home };
}

/** The same in a process of its own each time, as people run it. */
export function spotloopAloneOf(emulator: Pick<Emulator, "baseUrl" | "orgToken">): Spotloop {
  const spotloop = spotloopOf(emulator);
  return (args, surroundings) => spotloop(args, { stdin: "", ...surroundings });
}

async function spawned(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
  stdin: string,
): Promise<Ended> {
  const child = spawn(process.execPath, args, { env, cwd });
  onTestFinished(() => void child.kill("SIGKILL"));
  const printed = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      printed[name] += text;
    });
  }
  child.stdin.end(stdin);
  const [code] = await once(child, "close");
  return { code, ...printed };
}

/** The command line of a vendor whose network is an emulator's. */
export function spotloopOf({ baseUrl, orgToken }: Pick<Emulator, "baseUrl" | "orgToken">): Spotloop {
  return spotloopWith({ SPOTLOOP_BASE_URL: baseUrl, SPOTLOOP_ORG_TOKEN: orgToken });
}

/** Several lines of output. */
export function lines(...text: readonly string[]): string {
  return text.map((line) => `${line}\n`).join("");
}
