import type { Hono } from "hono";
import { z } from "zod";
import { type Env, problem } from "../http/answers.ts";
import { type Call, type CallFilter, fits, type Journal, MOST_CALLS } from "../http/journal.ts";
import { sentQuery } from "./body.ts";
import { callAnswer, filterOf, filterSchema, wholeNumber } from "./journal-filter.ts";

/** The longest that a call of this kind stays open; whoever waits longer asks again. */
const LONGEST_WAIT_MS = 120_000;
/** The most that wait at a time. */
const MOST_WAITING = 100;

const querySchema = filterSchema.omit({ limit: true }).extend({
  count: wholeNumber.pipe(z.int().min(1).max(MOST_CALLS)).default(1),
  timeout_ms: wholeNumber.pipe(z.int().max(LONGEST_WAIT_MS)).default(10_000),
});

/**
 * Adds waiting until so many calls that fit are in the journal, those that are there already included. Answers with all
 * that fit, or 504 when there are still too few after `timeout_ms` of real time.
 */
export function addJournalWait(app: Hono<Env>, journal: Journal): void {
  let waiting = 0;
  app.get("/control/journal/wait", async (c) => {
    const sent = sentQuery(c, querySchema);
    if (sent.kind === "refused") return sent.answer;
    const { count, timeout_ms, ...filters } = sent.value;
    if (waiting >= MOST_WAITING) return problem(c, 429, "too_many", `at most ${MOST_WAITING} can wait at a time`);
    waiting += 1;
    const gone = new AbortController();
    c.env.outgoing.once("close", () => gone.abort());
    const signal = AbortSignal.any([AbortSignal.timeout(timeout_ms), gone.signal]);
    const calls = await arrived(journal, filterOf(filters), count, signal);
    waiting -= 1;
    if (calls.length >= count) return c.json(calls.map(callAnswer));
    return problem(c, 504, "timeout", `${calls.length} of ${count} calls came in ${timeout_ms} ms`);
  });
}

/** The calls that fit once there are so many, or those that there are when the signal is given. */
function arrived(journal: Journal, filter: CallFilter, count: number, signal: AbortSignal): Promise<Call[]> {
  return new Promise((resolve) => {
    const end = () => {
      forget();
      signal.removeEventListener("abort", end);
      resolve(journal.calls(filter));
    };
    let left = count - journal.calls(filter).length;
    const forget = journal.onAdded((call) => {
      if (!fits(call, filter)) return;
      left -= 1;
      if (left === 0) end();
    });
    signal.addEventListener("abort", end);
    if (left <= 0 || signal.aborted) end();
  });
}
