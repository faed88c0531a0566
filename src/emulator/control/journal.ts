import type { Hono } from "hono";
import { z } from "zod";
import type { Env } from "../http/answers.ts";
import { type Call, type CallFilter, MOST_CALLS } from "../http/journal.ts";
import type { Network } from "../network.ts";
import { sentQuery } from "./body.ts";

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);

/** `since` is the id of a call, to get those after it, or a virtual instant, to get those from then on. */
const filterSchema = z.strictObject({
  route: z.string().optional(),
  screen_id: z.string().optional(),
  status: wholeNumber.optional(),
  since: z
    .union([wholeNumber, z.iso.datetime({ offset: true })], { error: "must be a call's id or an instant" })
    .optional(),
  limit: wholeNumber.pipe(z.int().min(1).max(MOST_CALLS)).optional(),
});

/** Adds reading and clearing the journal. */
export function addJournal(app: Hono<Env>, { journal }: Network): void {
  app.get("/control/journal", (c) => {
    const sent = sentQuery(c, filterSchema);
    if (sent.kind === "refused") return sent.answer;
    return c.json(journal.calls(filterOf(sent.value)).map(callAnswer));
  });
  app.delete("/control/journal", (c) => c.json({ deleted: journal.clear() }));
}

function filterOf({ screen_id, since, ...rest }: z.infer<typeof filterSchema>): CallFilter {
  const filter = { ...rest, screenId: screen_id };
  if (typeof since === "number") return { ...filter, afterId: since };
  return since === undefined ? filter : { ...filter, from: Date.parse(since) };
}

/** A call as the journal shows it. */
export function callAnswer({ id, at, realAt, screenId, nearMiss, ...call }: Call) {
  const times = { at: new Date(at).toISOString(), real_at: new Date(realAt).toISOString() };
  return { id, ...times, ...call, screen_id: screenId, near_miss: nearMiss };
}
