import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { Command } from "commander";
import type { Emulator } from "../../emulator/main.ts";
import { CommandFailure } from "../exit.ts";
import { type EmulatorFlags, startedEmulator } from "./command.ts";

/**
 * `spotloop emulator exec -- COMMAND…`: a screen network for as long as a command runs, which finds it through its
 * environment. Standard output is the command's alone, and its exit code is ours. The options are those of the emulator;
 * its ports are free ones unless they are given.
 */
export function execCommand(): Command {
  return new Command("exec")
    .usage("[options of the emulator] -- COMMAND…")
    .description("run a command with a screen network of its own, and end with its exit code")
    .argument("<command...>", "the command and its arguments")
    .exitOverride()
    .action(async (words: string[], _: unknown, { parent }: Command) => {
      const exitCode = await exec(words, flagsOf(parent ?? new Command()));
      if (exitCode !== 0) throw new CommandFailure("", exitCode);
    });
}

async function exec([command = "", ...words]: readonly string[], flags: EmulatorFlags): Promise<number> {
  const emulator = await startedEmulator(flags);
  try {
    const child = spawn(command, words, { stdio: "inherit", env: { ...process.env, ...environmentOf(emulator) } });
    return await ended(child, command);
  } finally {
    await emulator.close();
  }
}

function environmentOf({ baseUrl, orgToken, screenId, controlUrl }: Emulator) {
  return {
    SPOTLOOP_BASE_URL: baseUrl,
    SPOTLOOP_ORG_TOKEN: orgToken,
    SPOTLOOP_SCREEN_ID: screenId,
    SPOTLOOP_CONTROL_URL: controlUrl,
  };
}

/** Resolves with the exit code of a command, as a shell would tell it. Signals meant for us are for the command. */
async function ended(child: ChildProcess, command: string): Promise<number> {
  const passOn = (signal: NodeJS.Signals) => {
    // Ctrl+C reaches every process of the terminal by itself.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, passOn);
  try {
    const [code, signal]: [number | null, NodeJS.Signals | null] = (await once(child, "close")) as never;
    return code ?? SIGNALLED + (signal === null ? 0 : constants.signals[signal]);
  } catch (error) {
    throw new CommandFailure(`${command} cannot be run: ${String(error)}`, isMissing(error) ? NOT_FOUND : NOT_RUNNABLE);
  } finally {
    for (const signal of SIGNALS) process.off(signal, passOn);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** The exit codes of shells. */
const SIGNALLED = 128;
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** The emulator's options may stand before or after `exec`. */
function flagsOf(emulator: Command): EmulatorFlags {
  const port = (name: "port" | "mediaPort" | "controlPort"): number =>
    emulator.getOptionValueSource(name) === "cli" ? emulator.opts()[name] : 0;
  const ports = { port: port("port"), mediaPort: port("mediaPort"), controlPort: port("controlPort") };
  return { ...emulator.opts<EmulatorFlags>(), ...ports, quiet: true };
}
