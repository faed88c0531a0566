#!/usr/bin/env node
import { readFileSync, realpathSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { Command, CommanderError } from "commander";
import { z } from "zod";
import { CommandFailure, exitCodes } from "./exit.ts";

/** Every command by its name. Each is loaded when it is wanted: a lookup should not wait for a screen network. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  play: async () => (await import("./play.ts")).playCommand(),
  emulator: async () => {
    const [{ emulatorCommand }, { execCommand }] = [await import("./emulator.ts"), await import("./emulator-exec.ts")];
    return emulatorCommand().addCommand(execCommand());
  },
  conformance: async () => (await import("./conformance.ts")).conformanceCommand(),
  locations: async () => (await import("./vendor/locations.ts")).locationsCommand(),
  screens: async () => (await import("./vendor/screens.ts")).screensCommand(),
  "venue-types": async () => (await import("./vendor/venue-types.ts")).venueTypesCommand(),
  cars: async () => (await import("./vendor/cars.ts")).carsCommand(),
  provision: async () => (await import("./provision/command.ts")).provisionCommand(),
  doctor: async () => (await import("./doctor/command.ts")).doctorCommand(),
  proofs: async () => (await import("./proofs.ts")).proofsCommand(),
  report: async () => (await import("./report.ts")).reportCommand(),
  completion: async () => (await import("./completion.ts")).completionCommand(),
};

/** Asked by shells, and of no use to people. */
const HIDDEN: typeof COMMANDS = {
  complete: async () => (await import("./completion.ts")).completeCommand(() => program(undefined)),
};

/**
 * Runs one command line, without the program's name, as in `["emulator", "--port", "0"]`, and resolves with the exit
 * code when the command has ended. The process itself is left alone.
 */
export async function runCli(argv: readonly string[]): Promise<number> {
  try {
    const spotloop = await program(argv[0]);
    await spotloop.parseAsync(argv, { from: "user" });
    return exitCodes.stopped;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.stopped : exitCodes.usage;
    if (!(error instanceof CommandFailure)) throw error;
    if (error.message !== "") console.error(error.message);
    return error.exitCode;
  }
}

/** The command that is asked for, or all of them where that is none: for the help, and for who misspelt one. */
async function program(name: string | undefined): Promise<Command> {
  const spotloop = new Command("spotloop").description("a digital-signage player that proves every play");
  spotloop.version(version());
  const wanted = { ...COMMANDS, ...HIDDEN }[name ?? ""];
  for (const load of wanted === undefined ? Object.values(COMMANDS) : [wanted]) spotloop.addCommand(await load());
  return endingByThrowing(spotloop);
}

function version(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version;
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
