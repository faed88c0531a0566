#!/usr/bin/env node

// `spotloop-emulator`, of the package that brings the emulator alone: what `spotloop emulator` does.

import type { Command } from "commander";
import { playerVersion } from "../player/run-identity.ts";
import { exitCodeOf, isRunDirectly, runAsProcess } from "./command-line.ts";
import { emulatorCommand, execCommand, worldCommand } from "./emulator/command.ts";
import { faultCommand } from "./emulator/fault.ts";
import { operatingCommands } from "./emulator/operate.ts";

/** Runs one command line, as in `["--port", "0"]` or `["audit"]`, and resolves with the exit code when it has ended. */
export function runEmulatorCli(argv: readonly string[]): Promise<number> {
  return exitCodeOf(argv, async () => emulatorProgram().name("spotloop-emulator").version(playerVersion()));
}

/** The emulator's command with all that is below it. */
export function emulatorProgram(): Command {
  const commands = [execCommand(), worldCommand(), faultCommand(), ...operatingCommands()];
  return commands.reduce((emulator, command) => emulator.addCommand(command), emulatorCommand());
}

if (isRunDirectly(import.meta.url)) process.exitCode = await runAsProcess(() => runEmulatorCli(process.argv.slice(2)));
