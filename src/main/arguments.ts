import { parseArgs } from "node:util";

/** What the player was started with. */
export interface Arguments {
  /** A command of the command line (`emulator`, `doctor`…) with its own arguments, or `null` to play. */
  readonly command: readonly string[] | null;
  readonly config: string | null;
  readonly checkConfig: boolean;
}

/**
 * Reads a process's arguments, Chromium's own switches among them. `packaged` says whether the first is the program
 * alone, or the program and then the folder of the app.
 */
export function readArguments(argv: readonly string[], packaged: boolean): Arguments {
  const { values, positionals } = parseArgs({
    args: argv.slice(1),
    options: {
      config: { type: "string" },
      "check-config": { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
      version: { type: "boolean", short: "V", default: false },
    },
    strict: false,
    allowPositionals: true,
  });
  const [first] = packaged ? positionals : positionals.slice(1);
  const plays = (first === undefined || first === "play") && values.help !== true && values.version !== true;
  const asked = values.version === true ? "--version" : "--help";
  const command = plays ? null : first === undefined ? [asked] : argv.slice(argv.indexOf(first));
  return {
    command,
    config: typeof values.config === "string" ? values.config : null,
    checkConfig: values["check-config"] === true,
  };
}
