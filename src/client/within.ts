/** What a request is broken off with when its time is up. */
export class TimeUp extends Error {
  override readonly name = "TimeUp";
}

/**
 * Runs `act` with a signal that is raised when the caller's is, or after `limitMs`. Settles at once then, even if `act`
 * pays no attention; rejects with the caller's reason or with `TimeUp`.
 *
 * `AbortSignal.any` is not used: what it hangs on a signal that lives as long as the player is kept for as long.
 */
export async function within<T>(
  limitMs: number,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const control = new AbortController();
  const callOff = () => control.abort(signal.reason);
  const timer = setTimeout(() => control.abort(new TimeUp(`no answer within ${limitMs} ms`)), limitMs);
  signal.addEventListener("abort", callOff, { once: true });
  try {
    return await Promise.race([act(control.signal), raised(control.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", callOff);
  }
}

function raised(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
