import type { FailureReason } from "../../core/playout.ts";
import type { Face } from "./face.ts";

/** How often a deck on air is asked how far it is. */
const TURN_MS = 1_000;
/** A moving video that presents no new frame for this many turns is stalled: 2 s. */
const STALLED_TURNS = 2;
/** A page that has not answered for this many turns hangs (3 s); Chromium itself notices only when somebody types. */
const HUNG_TURNS = 3;

/**
 * Watches a deck on air, and says so once when it stalls or hangs. Turns are counted, not time, so that a main process
 * that was held up itself does not take its own delay for the deck's. The function it returns ends the watch.
 */
export function watchProgress(
  face: Face,
  moving: boolean,
  onFailed: (reason: FailureReason, detail: string) => void,
): () => void {
  let frames = -1;
  let silentTurns = 0;
  let stillTurns = 0;
  let asking = false;

  const timer = setInterval(() => {
    silentTurns = asking ? silentTurns + 1 : 0;
    if (silentTurns >= HUNG_TURNS) return end("hung", `no answer for ${HUNG_TURNS * TURN_MS} ms`);
    if (!asking) void ask();
  }, TURN_MS);

  async function ask(): Promise<void> {
    asking = true;
    const progress = await face.progress().catch(() => null);
    // Without an answer the page is gone: its deck says so itself.
    if (progress === null) return clearInterval(timer);
    asking = false;
    const moved = !moving || progress.still || progress.framesPresented !== frames;
    frames = progress.framesPresented;
    stillTurns = moved ? 0 : stillTurns + 1;
    if (stillTurns >= STALLED_TURNS) end("stalled", `no new frame for ${STALLED_TURNS * TURN_MS} ms`);
  }

  function end(reason: FailureReason, detail: string): void {
    clearInterval(timer);
    onFailed(reason, detail);
  }

  return () => clearInterval(timer);
}
