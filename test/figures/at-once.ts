import { Stop } from "../../scripts/setup/stop.mjs";

/** Each is several processes. */
const MOST_AT_ONCE = 16;

/** Reads `--at-once`: how many players. Throws `Stop`, by the step that was being taken. */
export function readAtOnce(text: string, step: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST_AT_ONCE) return Number(text);
  throw new Stop(step, `--at-once cannot be ${text}.`, `Name 1 to ${MOST_AT_ONCE} players.`);
}

/** Has so many workers work at once. Where one fails the others are told to end, and what it threw is thrown once they have. */
export async function atOnce<T>(
  count: number,
  ended: AbortSignal,
  work: (signal: AbortSignal, index: number) => Promise<T>,
): Promise<readonly T[]> {
  const failure = new AbortController();
  const signal = AbortSignal.any([ended, failure.signal]);
  const workers = Array.from({ length: count }, async (_, index) => {
    try {
      return await work(signal, index);
    } catch (error) {
      failure.abort(error);
      throw error;
    }
  });
  await Promise.allSettled(workers);
  return Promise.all(workers);
}
