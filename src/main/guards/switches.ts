import { FORBIDDEN_SWITCH } from "../../player/config/schema.ts";

/**
 * The switches among a process's arguments that would undo what protects the player from what it shows, or open it to
 * others: without dashes and values, in lower case. The inspect fuse covers Node's inspector only, not Chromium's
 * debugging port, so a packaged player does not run with any of them. After `--` there are no switches, for Chromium
 * neither: what follows is another program's.
 */
export function forbiddenSwitches(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf("--");
  const own = end === -1 ? argv : argv.slice(0, end);
  const names = own.flatMap((argument) => /^--?([a-z][a-z0-9-]*)/i.exec(argument)?.[1]?.toLowerCase() ?? []);
  return names.filter((name) => FORBIDDEN_SWITCH.test(name));
}
