#!/usr/bin/env node
import { Command } from "commander";
import { playerVersion } from "../player/run-identity.ts";
import { CommandFailure, exitCodeOf, exitCodes, isRunDirectly, runAsProcess } from "./command-line.ts";

/** Every command by its name. Each is loaded when it is wanted: a lookup should not wait for a screen network. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  play: async () => playCommand(),
  emulator: async () => (await import("./emulator-main.ts")).emulatorProgram(),
  conformance: async () => (await import("./conformance/command.ts")).conformanceCommand(),
  locations: async () => (await import("./vendor/locations.ts")).locationsCommand(),
  screens: async () => (await import("./vendor/screens.ts")).screensCommand(),
  "venue-types": async () => (await import("./vendor/venue-types.ts")).venueTypesCommand(),
  cars: async () => (await import("./vendor/cars.ts")).carsCommand(),
  provision: async () => (await import("./provision/command.ts")).provisionCommand(),
  doctor: async () => (await import("./doctor/command.ts")).doctorCommand(),
  proofs: async () => (await import("./proofs/command.ts")).proofsCommand(),
  record: async () => (await import("./record/command.ts")).recordCommand(),
  report: async () => (await import("./proofs/report.ts")).reportCommand(),
  remote: async () => (await import("./remote/command.ts")).remoteCommand(),
  completion: async () => (await import("./completion.ts")).completionCommand(),
};

/** Asked by shells and by the package's own script, and of no use to people. */
const HIDDEN: typeof COMMANDS = {
  "first-picture": async () => (await import("./provision/service.ts")).firstPictureCommand(),
  complete: async () => (await import("./completion.ts")).completeCommand(() => program(undefined)),
};

/**
 * Runs one command line, without the program's name, as in `["emulator", "--port", "0"]`, and resolves with the exit
 * code when the command has ended. The process itself is left alone.
 */
export function runCli(argv: readonly string[]): Promise<number> {
  return exitCodeOf(argv, () => program(argv[0]));
}

/** The same as this process's own (`runAsProcess`): what the process is to end with. */
export function runOwnCli(argv: readonly string[]): Promise<number> {
  return runAsProcess(() => runCli(argv));
}

/** The command that is asked for, or all of them where that is none: for the help, and for who misspelt one. */
async function program(name: string | undefined): Promise<Command> {
  const spotloop = new Command("spotloop").description("a digital-signage player that proves every play");
  spotloop.version(playerVersion(), VERSION.join(", "));
  for (const load of wanted(name)) spotloop.addCommand(await load());
  return spotloop;
}

const VERSION = ["-V", "--version"];

function wanted(name = ""): readonly (() => Promise<Command>)[] {
  const all = { ...COMMANDS, ...HIDDEN };
  const load = Object.hasOwn(all, name) ? all[name] : undefined;
  if (load !== undefined) return [load];
  return VERSION.includes(name) ? [] : Object.values(COMMANDS);
}

/**
 * `spotloop play`, for its help. The player is an application of Electron's: started as one it never comes here, and a
 * command line that is run by Node alone has no display to show anything on.
 */
function playCommand(): Command {
  return new Command("play")
    .description("play spots on this machine's display: what spotloop does without a command")
    .option("--config <file>", "the configuration; see docs/configuration.md for where it is looked for")
    .option("--check-config", "say what is wrong with the configuration, and end with 0 or 78")
    .action(() => {
      throw new CommandFailure(
        "the player runs as an application: install the package, or use npm start in a checkout",
        exitCodes.usage,
      );
    });
}

if (isRunDirectly(import.meta.url)) process.exitCode = await runOwnCli(process.argv.slice(2));
