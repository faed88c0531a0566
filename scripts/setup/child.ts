import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A program that runs beside the script until it is stopped, or the script ends in whatever way. */
export interface Child {
  readonly process: ChildProcess;
  /** Resolves, never rejects, with how it ended: "exit code 1", "SIGTERM", or why it could not be started. */
  readonly ended: Promise<string>;
  /** The last lines of its stderr: where a program says why it gave up. */
  complaint(): string;
  /** Asks it to stop, makes it stop where it does not, and resolves when it is gone. */
  stop(): Promise<void>;
}

/** Time to end in order; a player lets proofs under way end first. */
const STOP_MS = 8_000;
const COMPLAINT_LINES = 12;
/** Chromium looks for a desktop's message bus; that there is none on a kiosk is nobody's trouble. */
const NOISE = /:ERROR:bus\.cc/;

export function startChild(command: string, args: readonly string[], options: SpawnOptions = {}): Child {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], ...options });
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  void ended.then(() => process.off("exit", kill));

  const lines: string[] = [];
  if (child.stderr) {
    createInterface(child.stderr).on("line", (line) => {
      if (!NOISE.test(line)) lines.push(line);
      if (lines.length > COMPLAINT_LINES) lines.shift();
    });
  }
  return {
    process: child,
    ended,
    complaint: () => lines.join("\n"),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(kill, STOP_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}
