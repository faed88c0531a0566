#!/usr/bin/env node
import { realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Command, CommanderError } from "commander";
import { conformanceCommand } from "./conformance.ts";
import { emulatorCommand } from "./emulator.ts";
import { execCommand } from "./emulator-exec.ts";
import { CommandFailure, exitCodes } from "./exit.ts";
import { carsCommand } from "./vendor/cars.ts";
import { locationsCommand } from "./vendor/locations.ts";
import { screensCommand } from "./vendor/screens.ts";
import { venueTypesCommand } from "./vendor/venue-types.ts";

/**
 * Runs one command line, without the program's name, as in `["emulator", "--port", "0"]`, and resolves with the exit
 * code when the command has ended. The process itself is left alone.
 */
export async function runCli(argv: readonly string[]): Promise<number> {
  try {
    await program().parseAsync(argv, { from: "user" });
    return exitCodes.stopped;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.stopped : exitCodes.usage;
    if (!(error instanceof CommandFailure)) throw error;
    if (error.message !== "") console.error(error.message);
    return error.exitCode;
  }
}

function program(): Command {
  const spotloop = new Command("spotloop").description("a digital-signage player that proves every play");
  spotloop.addCommand(emulatorCommand().addCommand(execCommand()));
  spotloop.addCommand(conformanceCommand());
  for (const command of [locationsCommand(), screensCommand(), venueTypesCommand(), carsCommand()]) {
    spotloop.addCommand(command);
  }
  return endingByThrowing(spotloop);
}

/** Each command ends by throwing, since only the outermost caller may end the process. */
function endingByThrowing(command: Command): Command {
  for (const inner of command.commands) endingByThrowing(inner);
  return command.exitOverride();
}

/** Whether this file is what Node was told to run, by its own name or by a link to it. */
function isRunDirectly(): boolean {
  const script = process.argv[1];
  try {
    return script !== undefined && pathToFileURL(realpathSync(script)).href === import.meta.url;
  } catch {
    return false;
  }
}

if (isRunDirectly()) process.exitCode = await runCli(process.argv.slice(2));
