import { execFile } from "node:child_process";
import { constants, setPriority } from "node:os";

/** What is asked answers within a second or two, a display among them; a program that takes longer is stuck. */
const RAN_WITHIN_MS = 10_000;
/** What `xrandr` tells of a wall of displays is a tenth of it. */
const MOST_BYTES = 1024 * 1024;

/** How a program that may not be installed has run. */
export type Ran =
  | { readonly kind: "ran"; readonly output: string }
  /** In one line: its own words, or the system's. */
  | { readonly kind: "failed"; readonly reason: string }
  /** It said nothing in time, as where the machine is very busy: it may be asked again. */
  | { readonly kind: "stuck"; readonly reason: string };

/** Runs a program with arguments; never throws, and always ends. */
export type Run = (program: string, args: readonly string[]) => Promise<Ran>;

/** Runs a program of the system that tells of the machine or switches something. What plays goes before it; a hung one is killed. */
export const runProgram: Run = (program, args) =>
  new Promise((resolve) => {
    const limits = { timeout: RAN_WITHIN_MS, maxBuffer: MOST_BYTES, killSignal: "SIGKILL" } as const;
    const child = execFile(program, args, limits, (error, stdout, stderr) => {
      if (error === null) return resolve({ kind: "ran", output: stdout });
      if (error.killed)
        return resolve({ kind: "stuck", reason: `${program} gave no answer within ${RAN_WITHIN_MS / 1_000} s` });
      const said = stderr.trim().split("\n").at(0);
      const reason =
        error.code === "ENOENT" ? `${program} is not installed` : said || String(error.code ?? error.signal);
      resolve({ kind: "failed", reason });
    });
    putBehind(child.pid);
  });

/** Not to the very end of the queue: beside pages that take all of the processors, `xrandr` would take seconds there. */
function putBehind(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}

/** Kills a process, unless it has ended meanwhile. */
export function killProcess(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // There is none any more.
  }
}
