import { z } from "zod";

const failureSchema = z.object({ msg: z.literal("item failed"), item: z.string(), reason: z.string() });

/** Why items failed, by their ids, as a player told it in its log; the last time counts. */
export function failuresIn(lines: readonly string[]): ReadonlyMap<string, string> {
  const failures = lines.flatMap((line) => {
    if (!line.startsWith("{")) return [];
    const read = failureSchema.safeParse(JSON.parse(line));
    return read.success ? [[read.data.item, read.data.reason] as const] : [];
  });
  return new Map(failures);
}
