import { reasonOf } from "./reason.ts";
import { type Reply, readText } from "./reply.ts";
import { within } from "./within.ts";

/** What became of one request. */
export type Exchange =
  /** `text` is null where the body was longer than allowed, or broke off. */
  | { readonly kind: "answered"; readonly status: number; readonly headers: Headers; readonly text: string | null }
  | { readonly kind: "silent"; readonly reason: string };

export interface ExchangeLimits {
  readonly timeoutMs: number;
  readonly largestBytes: number;
}

/** Sends one request and reads its answer whole. Once there is a status, a body that never ends cannot undo it (A2). */
export async function exchange(
  send: (signal: AbortSignal) => Promise<Reply>,
  { timeoutMs, largestBytes }: ExchangeLimits,
  signal: AbortSignal,
): Promise<Exchange> {
  let reply: Reply | null = null;
  try {
    return await within(timeoutMs, signal, async (raised) => {
      reply = await send(raised);
      return answered(reply, await readText(reply, largestBytes));
    });
  } catch (error) {
    if (signal.aborted) return { kind: "silent", reason: "called off" };
    return reply === null ? { kind: "silent", reason: reasonOf(error) } : answered(reply, null);
  }
}

function answered({ status, headers }: Reply, text: string | null): Exchange {
  return { kind: "answered", status, headers, text };
}
