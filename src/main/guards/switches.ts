/**
 * Command-line switches that would open the packaged player to whoever can edit its start command. The inspect fuse
 * covers Node's inspector only, not Chromium's debugging port, so all of them are refused here.
 */
const FORBIDDEN = [
  "remote-debugging-port",
  "remote-debugging-pipe",
  "inspect",
  "inspect-brk",
  "inspect-brk-node",
  "inspect-port",
  "inspect-publish-uid",
  "inspect-wait",
  "no-sandbox",
  "disable-web-security",
  "ignore-certificate-errors",
  "load-extension",
  "js-flags",
] as const;

/** The forbidden switches among the arguments of a process, without dashes and values, as written there. */
export function forbiddenSwitches(argv: readonly string[]): readonly string[] {
  const names = argv.map((argument) => /^--?([a-z-]+)/i.exec(argument)?.[1]?.toLowerCase());
  return FORBIDDEN.filter((name) => names.includes(name));
}
