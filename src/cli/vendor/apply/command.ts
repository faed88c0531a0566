import { Command } from "commander";
import { say } from "../../text.ts";
import { type Connection, connect, withConnection } from "../connection.ts";
import { type ApplyFlags, apply } from "./apply.ts";
import type { Kind } from "./kind.ts";
import { locationKind, screenKind } from "./kinds.ts";
import { Pace } from "./pace.ts";

/** `spotloop locations apply FILE…`. */
export function applyLocationsCommand(): Command {
  return applyCommand("locations", LOCATION_EXAMPLE, locationKind);
}

/** `spotloop screens apply FILE…`. */
export function applyScreensCommand(): Command {
  return applyCommand("screens", SCREEN_EXAMPLE, screenKind);
}

function applyCommand<S extends object>(
  what: string,
  example: string,
  kindAt: (connection: Connection, pace: Pace) => Kind<S>,
): Command {
  const command = new Command("apply")
    .description(`make ${what} be as files say: creates what is missing, updates what differs`)
    .argument("<file...>", "CSV with a header, or a JSON list")
    .option("--dry-run", "show what differs, and change nothing")
    .option("--all", "show every row that differs, not the first only")
    .addHelpText("after", `\nSafe to run again: what is there and as it should be is left alone.\n\n${example}`)
    .action(async (files: readonly string[], flags: ApplyFlags) => {
      const control = new AbortController();
      // Once: a second Ctrl+C ends the process at once, as everywhere.
      process.once("SIGINT", () => control.abort());
      await apply(files, kindAt(connect(flags), new Pace(control.signal, sayPause)), flags, control);
    });
  return withConnection(command);
}

/** A wait that somebody at a terminal would wonder about. */
const LONG_WAIT_MS = 5_000;

function sayPause(waitMs: number): void {
  if (waitMs >= LONG_WAIT_MS) say(`The service asks to wait ${Math.ceil(waitMs / 1000)} s.`);
}

const LOCATION_EXAMPLE = `A file of locations, columns in any order:
  id,title,venue-type,lat,long,open,visitors
  gym-1,Gym,401,52.5,13.4,"mon-fri 08:00-20:00, sat 10:00-18:00",120 110 115 130 180 240 90`;

const SCREEN_EXAMPLE = `A file of screens, columns in any order:
  id,title,location,venue-type,size,loop,amount,imps-weekly
  door-1,Door,gym-1,40101,1920x1080,60,1,5000`;
