import { discard, type Reply, succeeded, USER_AGENT, within } from "./http.ts";
import { reasonOf } from "./reply.ts";

/** What came of handing a text to somebody. */
export type Posting =
  | { readonly kind: "taken" }
  /** Sending the same again would not change it. */
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "unreachable"; readonly reason: string };

/** POSTs a text once, whole and as it is. Redirects are not followed: they could lead anywhere. */
export async function postNote(
  fetch: typeof globalThis.fetch,
  url: string,
  text: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Posting> {
  const headers = { ...USER_AGENT, "content-type": "text/plain; charset=utf-8" };
  let reply: Reply;
  try {
    reply = await within(timeoutMs, signal, (raised) =>
      fetch(url, { method: "POST", headers, body: text, redirect: "manual", signal: raised }),
    );
  } catch (error) {
    return { kind: "unreachable", reason: signal.aborted ? "called off" : reasonOf(error) };
  }
  await discard(reply);
  const { status } = reply;
  if (succeeded(status)) return { kind: "taken" };
  const isFinal = status >= 400 && status < 500 && ![401, 403, 407, 408, 425, 429].includes(status);
  return isFinal ? { kind: "refused", status } : { kind: "unreachable", reason: `HTTP ${status}` };
}
