import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Emulator } from "../../../src/emulator/main.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";

const MAIN = fileURLToPath(new URL("../../../src/cli/main.ts", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
}

/** A command line in a process of its own, that nobody sits at, and what came of it. */
export type Spotloop = (args: readonly string[], surroundings?: Surroundings) => Promise<Ended>;

/** The command line with this environment and nothing else around it: no configuration, no cache but its own. */
export function spotloopWith(env: Readonly<Record<string, string>>): Spotloop {
  const home = temporaryFolder();
  const { PATH = "" } = process.env;
  const base = { PATH, HOME: home, XDG_CACHE_HOME: home, XDG_CONFIG_HOME: home, ...env };
  return async (args, { env: more = {}, stdin = "", node = [] } = {}) => {
    const child = spawn(process.execPath, [...node, MAIN, ...args], { env: { ...base, ...more }, cwd: home });
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
  };
}

/** The command line of a vendor whose network is an emulator's. */
export function spotloopOf({ baseUrl, orgToken }: Pick<Emulator, "baseUrl" | "orgToken">): Spotloop {
  return spotloopWith({ SPOTLOOP_BASE_URL: baseUrl, SPOTLOOP_ORG_TOKEN: orgToken });
}

/** Several lines of output. */
export function lines(...text: readonly string[]): string {
  return text.map((line) => `${line}\n`).join("");
}
