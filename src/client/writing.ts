import type { Answer } from "./answer.ts";
import type { Exchange } from "./exchange.ts";
import { bodyIn, failureIn, isPassing, succeeded, unavailable } from "./reading.ts";

/** How to tell what came of a call that writes. */
export interface Writing<T> {
  readonly creates: boolean;
  /** The object in the answer's body, or null where it is not there as a whole (A3). */
  readonly read: (body: unknown) => T | null;
  /** Asks for the object as it now is; null where it cannot be known which one that would be. */
  readonly find: (said: Exchange) => Promise<Answer<T>> | null;
  /** Whether an object is as the call was to make it. */
  readonly isDone: (value: T) => boolean;
}

/**
 * What came of a call that was sent once. An answer that says it was done but not what is there now, and no answer at
 * all, are settled by asking for the object (A3); so is the refusal to create what is there already (B1).
 */
export async function settle<T>(said: Exchange, writing: Writing<T>): Promise<Answer<T>> {
  if (said.kind === "answered" && succeeded(said.status)) return readBack(said, writing);
  if (said.kind === "silent" && NEVER_SENT.has(said.reason)) return unavailable(said.reason, "no");
  if (said.kind === "silent" || isPassing(said.status)) return compare(said, writing);
  const failure = failureIn(said);
  if (!writing.creates || (failure.kind !== "invalid" && failure.kind !== "conflict")) return failure;
  const found = await writing.find(said);
  return found?.kind === "ok" ? { kind: "conflict", detail: failure.detail, fields: failure.fields } : failure;
}

/** What goes wrong before a request leaves, so that nothing can have come of it. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  ...["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"],
  ...["CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "ERR_TLS_CERT_ALTNAME_INVALID"],
  ...["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "UNABLE_TO_GET_ISSUER_CERT_LOCALLY"],
]);

async function readBack<T>(said: Extract<Exchange, { kind: "answered" }>, writing: Writing<T>): Promise<Answer<T>> {
  const value = writing.read(bodyIn(said));
  if (value !== null) return { kind: "ok", value };
  const found = await writing.find(said);
  if (found === null) return unavailable("the service did not say which identifier it chose", "yes");
  return found.kind === "ok" ? found : unavailable(`it cannot be read back: ${reasonIn(found)}`, "yes");
}

async function compare<T>(said: Exchange, writing: Writing<T>): Promise<Answer<T>> {
  const failure = said.kind === "silent" ? unavailable(said.reason, "unknown") : failureIn(said);
  if (failure.kind !== "unavailable") return failure;
  // A service that names a wait is not asked again before it.
  const found = failure.retryAfterMs === null ? await writing.find(said) : null;
  if (found?.kind === "ok" && writing.isDone(found.value)) return found;
  if (found?.kind === "ok" && writing.creates) return { kind: "conflict", detail: null, fields: [] };
  const settled = found?.kind === "ok" || found?.kind === "notFound";
  return { ...failure, done: settled ? "no" : "unknown" };
}

function reasonIn(answer: Exclude<Answer<unknown>, { kind: "ok" }>): string {
  return answer.kind === "unavailable" ? answer.reason : answer.kind;
}
