/** What keeps Node's loop alive because something is being read, written, opened or closed, or comes in its next turn. */
const AT_WORK = /^(FS|Close|Immediate|GetAddrInfo)/;

/** Turns of the event loop in a row in which nothing was under way: by then all that follows from a step has happened. */
const CALM_TURNS = 2;

/** No step takes longer than this, on the slowest disk: what does is a loop that never comes to rest. */
const MOST_MS = 60_000;

/** Resolves when all that was set going has been carried out, but for what waits for an alarm. */
export async function quiet(): Promise<void> {
  const until = performance.now() + MOST_MS;
  for (let calm = 0; calm < CALM_TURNS; ) {
    if (performance.now() > until) throw new Error("the player does not come to rest");
    await new Promise(setImmediate);
    calm = process.getActiveResourcesInfo().some((kind) => AT_WORK.test(kind)) ? 0 : calm + 1;
  }
}
