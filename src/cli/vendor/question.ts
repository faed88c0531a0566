import { CommandFailure, exitCodes } from "../exit.ts";
import { say } from "../text.ts";

/** Whether somebody sits at a terminal who can be asked. */
export function hasSomebodyToAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks for a yes; any other answer ends the command with 0, nothing done. Asks on standard error, which is no output. */
export async function confirm(question: string): Promise<void> {
  // Loaded only where there is somebody to ask.
  const { default: ask } = await import("@inquirer/confirm");
  const yes = await answered(ask({ message: question, default: false }, { output: process.stderr }));
  if (yes) return;
  say("Nothing was changed.");
  throw new CommandFailure("", exitCodes.stopped);
}

/** An answer, or the end of the command when Ctrl+C was the answer. */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ExitPromptError") throw error;
    throw new CommandFailure("Called off; nothing was changed.", INTERRUPTED);
  }
}

/** As a shell tells a command that Ctrl+C ended. */
const INTERRUPTED = 130;
