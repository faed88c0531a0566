import type { EventEmitter } from "node:events";

/** A machine that is too busy for a program that tells of displays may be so for a while. */
export const AGAIN_AFTER_MS = 60_000;

/** What tells of displays: Electron's `screen`. */
type DisplayEvents = Pick<EventEmitter, "on" | "off">;

/**
 * Acts now, and whenever displays that came, went or changed have told nothing more for `settledMs`; `onPlugged` hears at once
 * of those that came or went. Where `act` says that it was not answered, it acts again. The function it returns ends that.
 */
export function nowAndOnChange(
  displays: DisplayEvents,
  settledMs: number,
  act: () => Promise<boolean>,
  onPlugged = () => {},
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const actAfter = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(actNow, ms);
  };
  const actNow = async () => {
    timer = undefined;
    const isAnswered = await act();
    // A change that came meanwhile is acted on sooner.
    if (!isAnswered && timer === undefined && !isClosed) actAfter(AGAIN_AFTER_MS);
  };
  const actSoon = () => actAfter(settledMs);
  const onPlug = () => {
    onPlugged();
    actSoon();
  };
  displays.on("display-added", onPlug).on("display-removed", onPlug).on("display-metrics-changed", actSoon);
  void actNow();
  return () => {
    isClosed = true;
    clearTimeout(timer);
    displays.off("display-added", onPlug).off("display-removed", onPlug).off("display-metrics-changed", actSoon);
  };
}
