import { realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { type Command, CommanderError, InvalidArgumentError } from "commander";

/**
 * What the process ends with: asked to stop or done, something went wrong, and from sysexits: a command line that makes
 * no sense, input that breaks a rule, a service that cannot be reached or is busy, a token that is not accepted, a
 * configuration that cannot be used. Ctrl+C ends a command as shells tell it.
 */
export const exitCodes = {
  stopped: 0,
  failed: 1,
  usage: 64,
  data: 65,
  unavailable: 69,
  permission: 77,
  configuration: 78,
  interrupted: 130,
} as const;

/** Ends a command with a message for the user, which goes to stderr as it is; an empty one has been told. */
export class CommandFailure extends Error {
  override name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Runs a command line by the command that it asks for, and resolves with the exit code when that has ended. */
export async function exitCodeOf(argv: readonly string[], load: () => Promise<Command>): Promise<number> {
  try {
    const command = endingByThrowing(await load());
    await command.parseAsync(argv, { from: "user" });
    return exitCodes.stopped;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.stopped : exitCodes.usage;
    if (isHomeless(error)) {
      console.error("the folder that this command was started in is not there any more");
      return exitCodes.failed;
    }
    if (!(error instanceof CommandFailure)) throw error;
    if (error.message !== "") console.error(error.message);
    return error.exitCode;
  }
}

/** What Node says where a path is to be found from a folder that was removed. */
function isHomeless(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "uv_cwd";
}

/**
 * Runs a command line as this process's own, and resolves with what the process is to end with. A reader that closes, as
 * `head` does, ends no command; where output could not be written for another reason, that is told in the end.
 */
export async function runAsProcess(run: () => Promise<number>): Promise<number> {
  let refused: string | null = null;
  process.stdout.on("error", ({ code = "unknown" }: NodeJS.ErrnoException) => {
    if (code !== "EPIPE") refused = code;
  });
  process.stderr.on("error", () => {});
  const code = await run();
  // A refusal is heard of a moment after the writing.
  await new Promise(setImmediate);
  // What failed has told why.
  if (refused === null || code !== exitCodes.stopped) return code;
  console.error(unwritten(refused));
  return exitCodes.failed;
}

/** Does something that tidies up after itself when the user or the system asks to stop; a second time ends it at once. */
export async function untilInterrupted<T>(act: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const control = new AbortController();
  const interrupt = () => control.abort(new CommandFailure("Interrupted; nothing was saved.", exitCodes.interrupted));
  for (const signal of SIGNALS) process.once(signal, interrupt);
  try {
    return await act(control.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Standard output that was not taken, by the system's code. */
export function unwritten(code: string): string {
  return `standard output cannot be written (${code})`;
}

/** Each command ends by throwing, since only the outermost caller may end the process. */
function endingByThrowing(command: Command): Command {
  for (const inner of command.commands) endingByThrowing(inner);
  return command.exitOverride();
}

/** Whether a file, by its `import.meta.url`, is what Node was told to run, by its own name or by a link to it. */
export function isRunDirectly(url: string): boolean {
  const script = process.argv[1];
  try {
    return script !== undefined && pathToFileURL(realpathSync(script)).href === url;
  } catch {
    return false;
  }
}

/** Fifteen digits: every such number is exact. */
const MOST = 999_999_999_999_999;

/** Reads an option's whole number, in decimal digits and within these limits. */
export function wholeNumber(least = 0, most = MOST): (text: string) => number {
  const upTo = most === MOST ? "" : ` to ${most}`;
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least}${upTo}.`);
  };
}
