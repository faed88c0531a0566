import { TimeUp } from "./within.ts";

/** How far down a chain of causes a code is looked for. */
const DEEPEST_CAUSE = 5;

/**
 * Why a request got no answer, in a word: `timeout`, a code such as `ECONNREFUSED` or `CERT_HAS_EXPIRED`, else `network
 * error`. Never the error's own message, which can quote the URL and with it the organization token.
 */
export function reasonOf(error: unknown): string {
  let cause = error;
  for (let depth = 0; depth < DEEPEST_CAUSE && cause instanceof Error; depth++) {
    if (cause instanceof TimeUp) return "timeout";
    if ("code" in cause && typeof cause.code === "string") return cause.code;
    cause = cause.cause;
  }
  return "network error";
}
