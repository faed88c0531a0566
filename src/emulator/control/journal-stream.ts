import type { Hono } from "hono";
import { type Env, problem } from "../http/answers.ts";
import { type Call, fits, type Journal } from "../http/journal.ts";
import { sentQuery } from "./body.ts";
import { callAnswer, filterOf, filterSchema } from "./journal-filter.ts";

/** The most that follow at a time: a dashboard or two on every desk. */
export const MOST_FOLLOWERS = 32;
/** So often something is sent, so that neither side takes a quiet connection for a dead one. */
const HEARTBEAT_MS = 15_000;
/** A follower that is so many events behind is let go; it comes back with `Last-Event-ID`. */
const MOST_BEHIND = 1_000;

/**
 * Adds following the journal as server-sent events, `event: call` with a call's id and JSON. `since`, or the header
 * `Last-Event-ID` of a follower that comes back, has what was missed sent first.
 */
export function addJournalStream(app: Hono<Env>, journal: Journal): void {
  let followers = 0;
  app.get("/control/journal/stream", (c) => {
    const sent = sentQuery(c, filterSchema);
    if (sent.kind === "refused") return sent.answer;
    if (followers >= MOST_FOLLOWERS) return problem(c, 429, "too_many", `at most ${MOST_FOLLOWERS} can follow`);
    const filter = filterOf(sent.value);
    const lastId = /^\d{1,15}$/.exec(c.req.header("last-event-id") ?? "")?.[0];
    const missed = lastId === undefined ? filter : { ...filter, afterId: Number(lastId) };
    const replay = missed.afterId !== undefined || missed.from !== undefined || missed.limit !== undefined;
    followers += 1;
    const events = eventsOf(journal, filter, replay ? journal.calls(missed) : [], () => {
      followers -= 1;
    });
    c.header("content-type", "text/event-stream");
    c.header("cache-control", "no-store");
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
