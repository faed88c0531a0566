/** A line of the log for people: `04:05:06.789 WARN  item failed reason=stalled`. What is no such line stays as it is. */
export function readable(line: string): string {
  const fields = fieldsOf(line);
  if (fields === null) return line;
  const { time, level, msg, err, ...rest } = fields;
  const clock = typeof time === "string" ? time.slice(11, 23) : "";
  const details = Object.entries(rest).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  const head = [clock, String(level).toUpperCase().padEnd(5), String(msg ?? ""), ...details].join(" ").trimEnd();
  return err === undefined ? `${head}\n` : `${head}\n${stackOf(err)}\n`;
}

function fieldsOf(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function stackOf(err: unknown): string {
  const stack = typeof err === "object" && err !== null && "stack" in err ? err.stack : err;
  return String(stack).replace(/^/gm, "  ");
}
