/** How often a page is asked. */
export const TURN_MS = 1_000;

/**
 * Asks a page each second, not before it has answered the last time, and says so once when it has not answered for so
 * many turns: Chromium itself notices a page that hangs only when somebody types. Turns are counted, not time, so that a
 * main process that was held up itself does not take its own delay for the page's. `ask` resolves with whether to go on
 * asking. The function it returns ends the watch.
 */
export function watchAnswers(ask: () => Promise<boolean>, mostSilentTurns: number, onSilent: () => void): () => void {
  let asking = false;
  let silentTurns = 0;
  const stop = () => clearInterval(timer);

  const timer = setInterval(() => {
    silentTurns = asking ? silentTurns + 1 : 0;
    if (silentTurns >= mostSilentTurns) {
      stop();
      onSilent();
    } else if (!asking) void turn();
  }, TURN_MS);

  async function turn(): Promise<void> {
    asking = true;
    const goesOn = await ask();
    asking = false;
    if (!goesOn) stop();
  }

  return stop;
}
