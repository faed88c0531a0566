import { Command } from "commander";
import { CommandFailure, exitCodes } from "./exit.ts";

/**
 * `spotloop play`, for its help. The player is an application of Electron's: started as one it never comes here, and a
 * command line that is run by Node alone has no display to show anything on.
 */
export function playCommand(): Command {
  return new Command("play")
    .description("play spots on this machine's display: what spotloop does without a command")
    .option("--config <file>", "the configuration; see the README for where it is looked for")
    .option("--check-config", "say what is wrong with the configuration, and end with 0 or 78")
    .action(() => {
      throw new CommandFailure(
        "the player runs as an application: install the package, or use npm start in a checkout",
        exitCodes.usage,
      );
    });
}
