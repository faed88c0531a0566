import type { FailureReason } from "../../core/playout.ts";
import { TURN_MS, watchAnswers } from "./answer-watch.ts";
import type { Face } from "./face.ts";

/** A moving video that presents no new frame for this many turns is stalled: 2 s. */
const STALLED_TURNS = 2;
/** A page that has not answered for this many turns hangs: 3 s. */
const HUNG_TURNS = 3;

/** Watches a deck on air, and says so once when it stalls or hangs. The function it returns ends the watch. */
export function watchProgress(
  face: Face,
  moving: boolean,
  onFailed: (reason: FailureReason, detail: string) => void,
): () => void {
  let frames = -1;
  let stillTurns = 0;

  async function ask(): Promise<boolean> {
    const progress = await face.progress().catch(() => null);
    // Without an answer the page is gone: its deck says so itself.
    if (progress === null) return false;
    const moved = !moving || progress.still || progress.framesPresented !== frames;
    frames = progress.framesPresented;
    stillTurns = moved ? 0 : stillTurns + 1;
    if (stillTurns < STALLED_TURNS) return true;
    onFailed("stalled", `no new frame for ${STALLED_TURNS * TURN_MS} ms`);
    return false;
  }

  return watchAnswers(ask, HUNG_TURNS, () => onFailed("hung", `no answer for ${HUNG_TURNS * TURN_MS} ms`));
}
