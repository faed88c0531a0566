/** What keeps Node's loop alive because something is being read, written, opened or closed, or comes in its next turn. */
const AT_WORK = /^(FS|Close|Immediate|GetAddrInfo)/;

/** Turns of the event loop in a row in which nothing was under way: by then all that follows from a step has happened. */
const CALM_TURNS = 2;

/** No step takes longer than this, on the slowest disk: what does is a loop that never comes to rest. */
const MOST_MS = 60_000;
/** A turn that took longer says that the machine stood still, or this process: that is no work of the step's. */
const LONGEST_TURN_MS = 1_000;

/** Resolves when all that was set going has been carried out, but for what waits for an alarm. */
export async function quiet(): Promise<void> {
  let tookMs = 0;
  for (let calm = 0; calm < CALM_TURNS; ) {
    const begunAt = performance.now();
    await new Promise(setImmediate);
    tookMs += Math.min(performance.now() - begunAt, LONGEST_TURN_MS);
    if (tookMs > MOST_MS) throw new Error("the player does not come to rest");
    calm = process.getActiveResourcesInfo().some((kind) => AT_WORK.test(kind)) ? 0 : calm + 1;
  }
}
