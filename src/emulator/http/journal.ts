import type { Instant } from "../../core/spot.ts";

/** Which of the three listeners a call came to. */
export type Listener = "service" | "media" | "control";

/** One call as it was answered. `at` is virtual time, `realAt` the machine's; `ms` is real, to the answer's head. */
export interface Call {
  readonly id: number;
  readonly at: Instant;
  readonly realAt: Instant;
  readonly listener: Listener;
  readonly method: string;
  /** Path and query as they were sent, cut to `LONGEST_PATH`. */
  readonly path: string;
  readonly route: string | null;
  /** Whose call it was, as far as it says. */
  readonly orgToken: string | null;
  readonly screenId: string | null;
  /** Of the spot that was given out or proved, as in the ledger. */
  readonly requestId: string | null;
  /** 0 when it was left without an answer: by a fault, or because what it asked for never answers. */
  readonly status: number;
  readonly ms: number;
  /** What was odd about a call that was answered all the same (A9). */
  readonly warnings: readonly string[];
  /** What else came of it: an approval that fell due, a notice to an advertiser (E8). */
  readonly events: readonly string[];
  /** The name of the fault that was put in its way. */
  readonly fault: string | null;
  /** For a 4xx: what it fell short of. */
  readonly nearMiss: string | null;
}

/** Which calls are wanted; every filter that is given must fit. `limit`: the newest so many. */
export interface CallFilter {
  readonly route?: string | undefined;
  readonly orgToken?: string | undefined;
  readonly screenId?: string | undefined;
  readonly status?: number | undefined;
  /** Only calls with a higher id. */
  readonly afterId?: number | undefined;
  /** Only calls at or after this virtual instant. */
  readonly from?: Instant | undefined;
  readonly limit?: number | undefined;
}

/** The calls on every listener, oldest first. */
export interface Journal {
  add(call: Omit<Call, "id">): void;
  calls(filter?: CallFilter): Call[];
  /** Forgets all calls, numbers from 1 again, and returns how many there were. */
  clear(): number;
  /** Tells `added` of every call from now on, until the function that it returns is called. */
  onAdded(added: (call: Call) => void): () => void;
  /** What is kept, to be brought back with `restore`. */
  kept(): KeptCalls;
  restore(kept: KeptCalls): void;
}

/** The calls kept, oldest first, and the id of the last one there was. */
export interface KeptCalls {
  readonly calls: readonly Call[];
  readonly lastId: number;
}

/** The most calls kept; the oldest give way. A call takes about half a kilobyte. */
export const MOST_CALLS = 10_000;
/** A longer path is kept cut. */
export const LONGEST_PATH = 500;

/** An empty journal that tells `onCall` of every call. */
export function newJournal(onCall: (call: Call) => void = () => {}): Journal {
  let kept: Call[] = [];
  let count = 0;
  const listeners = new Set([onCall]);
  return {
    add(answered) {
      count += 1;
      const call = { id: count, ...answered, path: answered.path.slice(0, LONGEST_PATH) };
      kept.push(call);
      // Cut in large pieces: taking one off the front for every call would move all of them each time.
      if (kept.length >= 2 * MOST_CALLS) kept = kept.slice(-MOST_CALLS);
      for (const added of listeners) added(call);
    },
    calls: (filter = {}) => {
      const fitting = kept.slice(-MOST_CALLS).filter((call) => fits(call, filter));
      return filter.limit === undefined ? fitting : fitting.slice(Math.max(0, fitting.length - filter.limit));
    },
    clear() {
      const cleared = Math.min(kept.length, MOST_CALLS);
      kept = [];
      count = 0;
      return cleared;
    },
    onAdded(added) {
      listeners.add(added);
      return () => void listeners.delete(added);
    },
    kept: () => ({ calls: kept.slice(-MOST_CALLS), lastId: count }),
    restore({ calls, lastId }) {
      kept = [...calls];
      count = lastId;
    },
  };
}

/** Whether a call is wanted; `limit` is about how many of them. */
export function fits(call: Call, { route, orgToken, screenId, status, afterId, from }: CallFilter): boolean {
  return (
    (route === undefined || call.route === route) &&
    (orgToken === undefined || call.orgToken === orgToken) &&
    (screenId === undefined || call.screenId === screenId) &&
    (status === undefined || call.status === status) &&
    (afterId === undefined || call.id > afterId) &&
    (from === undefined || call.at >= from)
  );
}
