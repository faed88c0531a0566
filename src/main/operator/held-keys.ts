/** Keys that are held are told again and again: after 660 ms at first, as X servers do unless told otherwise, then faster. */
const TOLD_AGAIN_WITHIN_MS = 900;

/** What to do at each telling of keys so that `act` is done once for each press, however long they are held. */
export function oncePerPress(act: () => void, now: () => number = () => performance.now()): () => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return () => {
    const isHeld = now() - toldAt < TOLD_AGAIN_WITHIN_MS;
    if (!isHeld) act();
    toldAt = now();
  };
}
