import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";

/** How a command ended, 128 + n where a signal ended it, and all that it said. */
export interface Ended {
  readonly code: number;
  readonly said: string;
}

/** Set in the environment of what runs behind, so that nothing in it puts itself before others. */
export const BEHIND = "TESTS_RUN_BEHIND";

/** The least share of the processors that a session can have (sched(7), autogroup): a 68th of an ordinary one's. */
const LEAST = 19;

/** Whether the kernel shares the processors among sessions, so that one can be given what the others leave. */
export function canRunBehind(): boolean {
  try {
    return readFileSync("/proc/sys/kernel/sched_autogroup_enabled", "utf8").trim() === "1";
  } catch {
    return false;
  }
}

/**
 * Runs a command in a session of its own, that has what others leave of the processors, and keeps what it says. It ends
 * with this process, and when `signal` is aborted.
 */
export async function runBehind(
  command: string,
  args: readonly string[],
  { signal, env, ...options }: SpawnOptions & { readonly signal: AbortSignal },
): Promise<Ended> {
  const child = spawn(command, args, {
    ...options,
    env: { ...env, [BEHIND]: "1" },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => said.push(chunk));
  const [stop, kill] = [() => end(child, "SIGTERM"), () => end(child, "SIGKILL")];
  signal.addEventListener("abort", stop);
  process.once("exit", kill);
  giveLeast(child);
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (ended, by) => resolve(ended ?? 128 + constants.signals[by ?? "SIGKILL"]));
    });
    return { code, said: Buffer.concat(said).toString() };
  } finally {
    signal.removeEventListener("abort", stop);
    process.off("exit", kill);
  }
}

/** Signals it and all that it started. */
function end({ pid }: ChildProcess, by: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, by);
  } catch {
    // All of it has ended.
  }
}

function giveLeast({ pid }: ChildProcess): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(LEAST), { flag: "r+" });
  } catch {
    // It has ended already, or could not be started.
  }
}
