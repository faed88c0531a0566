import { format } from "node:util";
import { vi } from "vitest";
import { runCli } from "../../src/cli/main.ts";

/** What a command line wrote, and its exit code. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line; what it wrote to standard output and as errors, and its exit code. */
export async function run(...args: readonly string[]): Promise<{ out: string; code: number | null; err: string }> {
  const { code, stdout, stderr } = await captured(args);
  return { out: stdout, code, err: stderr.replace(/\n$/, "") };
}

/**
 * Runs a command line in this process as if it were one of its own, that nobody sits at: with this environment and no
 * other, in this folder. One after the other, since a process has one of each.
 */
export function runWith(env: Readonly<Record<string, string>>, cwd: string, args: readonly string[]): Promise<Ended> {
  const turn = last.then(async () => {
    const [envBefore, cwdBefore] = [{ ...process.env }, process.cwd()];
    const streams = [process.stdin, process.stdout, process.stderr];
    const terminals = streams.map((stream) => stream.isTTY);
    setEnvironment(env);
    process.chdir(cwd);
    for (const stream of streams) stream.isTTY = false;
    try {
      return await captured(args);
    } finally {
      setEnvironment(envBefore);
      process.chdir(cwdBefore);
      for (const [at, stream] of streams.entries()) stream.isTTY = terminals[at] ?? false;
    }
  });
  last = turn.catch(() => {});
  return turn;
}

let last: Promise<unknown> = Promise.resolve();

/** In place: libraries keep the object. */
function setEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

async function captured(args: readonly string[]): Promise<Ended> {
  let [stdout, stderr] = ["", ""];
  const spies = [
    vi.spyOn(process.stdout, "write").mockImplementation((text) => {
      stdout += text;
      return true;
    }),
    vi.spyOn(process.stderr, "write").mockImplementation((text) => {
      stderr += text;
      return true;
    }),
    vi.spyOn(console, "error").mockImplementation((...words) => {
      stderr += `${format(...words)}\n`;
    }),
  ];
  try {
    return { code: await runCli(args), stdout, stderr };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
