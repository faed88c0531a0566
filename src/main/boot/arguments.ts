import { parseArgs } from "node:util";
import type { ConfigSource } from "../../player/config/config.ts";
import { FORBIDDEN_SWITCH } from "../../player/config/values.ts";
import { isWayland } from "../../player/display.ts";

/** What the player was started with. */
export interface Arguments {
  /** A command of the command line (`emulator`, `doctor`…) with its own arguments, or `null` to play. */
  readonly command: readonly string[] | null;
  readonly config: string | null;
  readonly checkConfig: boolean;
}

/** Where this process's configuration comes from, and what it is for; `path`: the file that it was started with, or null. */
export function sourceOf(path: string | null): ConfigSource {
  return { path, env: process.env, wayland: isWayland(process.env, process.argv) };
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

/** One of the configuration's switches: its name, and what stands behind the first `=`, which may have more of them. */
export function switchIn(given: string): readonly [name: string, value?: string] {
  const at = given.indexOf("=");
  return at === -1 ? [given] : [given.slice(0, at), given.slice(at + 1)];
}

/**
 * The switches among a process's arguments that would undo what protects the player from what it shows, or open it to
 * others: without dashes and values, in lower case. The inspect fuse covers Node's inspector only, not Chromium's
 * debugging port, so a packaged player does not run with any of them. After `--` there are no switches, for Chromium
 * neither: what follows is another program's. On Windows it takes a slash for a dash.
 */
export function forbiddenSwitches(argv: readonly string[], platform = process.platform): readonly string[] {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  const written = platform === "win32" ? /^(?:--?|\/)([a-z][a-z0-9-]*)/i : /^--?([a-z][a-z0-9-]*)/i;
  const names = own.flatMap((argument) => written.exec(argument)?.[1]?.toLowerCase() ?? []);
  return names.filter((name) => FORBIDDEN_SWITCH.test(name));
}
