import pRetry from "p-retry";
import type { Exchange } from "./exchange.ts";
import { bodyIn, isPassing, succeeded } from "./reading.ts";
import { retryAfterMs } from "./retry-after.ts";

/** A call that only reads is made so often in all when the network or the service falters. */
export const READ_TRIES = 3;

/** Asks again, later each time, for as long as that may help; what came of the last try. For calls that only read. */
export async function retried(ask: () => Promise<Exchange>, retryMs: number, signal: AbortSignal): Promise<Exchange> {
  const attempt = async () => {
    const said = await ask();
    if (isWorthAnotherTry(said)) throw new Faltered(said);
    return said;
  };
  try {
    return await pRetry(attempt, { retries: READ_TRIES - 1, minTimeout: retryMs, randomize: true, signal });
  } catch (error) {
    if (error instanceof Faltered) return error.said;
    if (signal.aborted) return { kind: "silent", reason: "called off" };
    throw error;
  }
}

/** Carries what became of a request through p-retry, which retries what is thrown. */
class Faltered extends Error {
  readonly said: Exchange;

  constructor(said: Exchange) {
    super(said.kind);
    this.said = said;
  }
}

/** No answer, a broken one, or a status that may be another next time; not where the service named a wait. */
function isWorthAnotherTry(said: Exchange): boolean {
  if (said.kind === "silent") return true;
  if (succeeded(said.status)) return said.text === null || bodyIn(said) === undefined;
  return isPassing(said.status) && retryAfterMs(said.headers) === null;
}
