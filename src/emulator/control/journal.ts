import type { Hono } from "hono";
import { z } from "zod";
import { type Env, problem } from "../http/answers.ts";
import { sentQuery } from "../http/body.ts";
import { type Call, type CallFilter, fits, type Journal, MOST_CALLS } from "../http/journal.ts";
import type { Network } from "../network.ts";

/** The longest that a call waits for others; a client that wants to wait longer asks again. */
const LONGEST_WAIT_MS = 120_000;
/** The most calls that wait at a time. */
const MOST_WAITING = 100;

/** The most followers at a time: a dashboard or two on every desk. */
export const MOST_FOLLOWERS = 32;
/** How often a follower is sent something, so that neither side takes a quiet connection for a dead one. */
const HEARTBEAT_MS = 15_000;
/** A follower that is so many events behind is let go; it comes back with `Last-Event-ID`. */
const MOST_BEHIND = 1_000;

/** A whole number in a query. */
const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);

/**
 * The filters of the journal as a query. `since` is the id of a call, to get those after it, or a virtual instant, to
 * get those from then on.
 */
export const filterSchema = z.strictObject({
  route: z.string().optional(),
  org_token: z.string().optional(),
  screen_id: z.string().optional(),
  status: wholeNumber.optional(),
  since: z
    .union([wholeNumber, z.iso.datetime({ offset: true })], { error: "must be a call's id or an instant" })
    .optional(),
  limit: wholeNumber.pipe(z.int().min(1).max(MOST_CALLS)).optional(),
});

/** Which calls are awaited, how many of them and for how long. */
export const waitSchema = filterSchema.omit({ limit: true }).extend({
  count: wholeNumber.pipe(z.int().min(1).max(MOST_CALLS)).default(1),
  timeout_ms: wholeNumber.pipe(z.int().max(LONGEST_WAIT_MS)).default(10_000),
});

/** Adds reading, following, awaiting and clearing the journal. */
export function addJournal(app: Hono<Env>, { journal }: Network): void {
  app.get("/control/journal", (c) => {
    const sent = sentQuery(c, filterSchema);
    if (sent.kind === "refused") return sent.answer;
    return c.json(journal.calls(filterOf(sent.value)).map(callAnswer));
  });
  app.delete("/control/journal", (c) => c.json({ deleted: journal.clear() }));
  addJournalStream(app, journal);
  addJournalWait(app, journal);
}

/**
 * Adds waiting until so many calls that fit are in the journal, those that are there already included. Answers with all
 * that fit, or 504 when there are still too few after `timeout_ms` of real time.
 */
function addJournalWait(app: Hono<Env>, journal: Journal): void {
  let waiting = 0;
  app.get("/control/journal/wait", async (c) => {
    const sent = sentQuery(c, waitSchema);
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
      if (left > 0) return;
      // Counted anew: some of those that were there may have given way, or been deleted.
      left = count - journal.calls(filter).length;
      if (left <= 0) end();
    });
    signal.addEventListener("abort", end);
    if (left <= 0 || signal.aborted) end();
  });
}

/**
 * Adds following the journal as server-sent events, `event: call` with a call's id and JSON. `since`, or the header
 * `Last-Event-ID` of a follower that comes back, has what was missed sent first.
 */
export function addJournalStream(app: Hono<Env>, journal: Journal): void {
  let followers = 0;
  app.get("/control/journal/stream", (c) => {
    const sent = sentQuery(c, filterSchema);
    if (sent.kind === "refused") return sent.answer;
    c.header("content-type", "text/event-stream");
    c.header("cache-control", "no-store");
    // Nobody takes the body of an answer to HEAD, so nothing would ever give its place back.
    if (c.req.raw.method === "HEAD") return c.body(null);
    if (followers >= MOST_FOLLOWERS) return problem(c, 429, "too_many", `at most ${MOST_FOLLOWERS} can follow`);
    const filter = filterOf(sent.value);
    const lastId = /^\d{1,15}$/.exec(c.req.header("last-event-id") ?? "")?.[0];
    const missed = lastId === undefined ? filter : { ...filter, afterId: Number(lastId) };
    const replay = missed.afterId !== undefined || missed.from !== undefined || missed.limit !== undefined;
    followers += 1;
    // What comes from now on was not there before, whatever its id: an emptied journal numbers from 1 again.
    const events = eventsOf(journal, { ...filter, afterId: undefined }, replay ? journal.calls(missed) : [], () => {
      followers -= 1;
    });
    return c.body(events);
  });
}

function eventsOf(
  journal: Journal,
  filter: Parameters<typeof fits>[1],
  first: readonly Call[],
  ended: () => void,
): ReadableStream<Uint8Array> {
  const text = new TextEncoder();
  let stop = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (event: string) => {
          controller.enqueue(text.encode(event));
          if ((controller.desiredSize ?? 0) > -MOST_BEHIND) return;
          stop();
          controller.close();
        };
        const heartbeat = setInterval(() => send(": still here\n\n"), HEARTBEAT_MS);
        const forget = journal.onAdded((call) => fits(call, filter) && send(eventOf(call)));
        stop = () => {
          stop = () => {};
          clearInterval(heartbeat);
          forget();
          ended();
        };
        // What was missed is one piece, however many calls that are: it must not count as being behind.
        send(`retry: 1000\n\n${first.map(eventOf).join("")}`);
      },
      cancel: () => stop(),
    },
    { highWaterMark: 1 },
  );
}

function eventOf(call: Call): string {
  return `id: ${call.id}\nevent: call\ndata: ${JSON.stringify(callAnswer(call))}\n\n`;
}

/** The filter that a query asks for. */
function filterOf({ route, org_token, screen_id, status, since, limit }: z.infer<typeof filterSchema>): CallFilter {
  const filter = { route, orgToken: org_token, screenId: screen_id, status, limit };
  if (typeof since === "number") return { ...filter, afterId: since };
  return since === undefined ? filter : { ...filter, from: Date.parse(since) };
}

/** A call as the journal shows it. */
export function callAnswer({ id, at, realAt, orgToken, screenId, nearMiss, ...call }: Call) {
  const times = { at: new Date(at).toISOString(), real_at: new Date(realAt).toISOString() };
  return { id, ...times, ...call, org_token: orgToken, screen_id: screenId, near_miss: nearMiss };
}
