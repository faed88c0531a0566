import { FORBIDDEN_SWITCH } from "../../player/config/schema.ts";

/**
 * The switches among a process's arguments that would undo what protects the player from what it shows, or open it to
 * others: without dashes and values, in lower case. The inspect fuse covers Node's inspector only, not Chromium's
 * debugging port, so a packaged player does not run with any of them.
 */
export function forbiddenSwitches(argv: readonly string[]): readonly string[] {
  const names = argv.flatMap((argument) => /^--?([a-z][a-z0-9-]*)/i.exec(argument)?.[1]?.toLowerCase() ?? []);
  return names.filter((name) => FORBIDDEN_SWITCH.test(name));
}
