/** How items ended by their ids, as a player told it on stderr: `shown`, or why they failed. The last time counts. */
export function endingsIn(lines: readonly string[]): ReadonlyMap<string, string> {
  const endings = lines.flatMap((line) => {
    const [, how = "", rest = ""] = / item (shown|failed) (.*)/.exec(line) ?? [];
    const item = /\bitem=(\S+)/.exec(rest)?.[1];
    const reason = /\breason=(\S+)/.exec(rest)?.[1];
    return item === undefined ? [] : [[item, how === "failed" ? (reason ?? "unknown") : how] as const];
  });
  return new Map(endings);
}
