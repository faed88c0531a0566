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
export function within<T>(limitMs: number, signal: AbortSignal, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const control = new AbortController();
    const breakOff = (reason: unknown) => {
      control.abort(reason);
      end();
      reject(reason);
    };
    const callOff = () => breakOff(signal.reason);
    const timer = setTimeout(() => breakOff(new TimeUp(`no answer within ${limitMs} ms`)), limitMs);
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", callOff);
    };
    signal.addEventListener("abort", callOff);
    act(control.signal).finally(end).then(resolve, reject);
  });
}
