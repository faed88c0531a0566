import { z } from "zod";
import { type Call, type CallFilter, MOST_CALLS } from "../http/journal.ts";

/** A whole number in a query. */
export const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, "must be a whole number")
  .transform(Number);

/**
 * The filters of the journal as a query. `since` is the id of a call, to get those after it, or a virtual instant, to
 * get those from then on.
 */
export const filterSchema = z.strictObject({
  route: z.string().optional(),
  screen_id: z.string().optional(),
  status: wholeNumber.optional(),
  since: z
    .union([wholeNumber, z.iso.datetime({ offset: true })], { error: "must be a call's id or an instant" })
    .optional(),
  limit: wholeNumber.pipe(z.int().min(1).max(MOST_CALLS)).optional(),
});

/** The filter that a query asks for. */
export function filterOf({ route, screen_id, status, since, limit }: z.infer<typeof filterSchema>): CallFilter {
  const filter = { route, screenId: screen_id, status, limit };
  if (typeof since === "number") return { ...filter, afterId: since };
  return since === undefined ? filter : { ...filter, from: Date.parse(since) };
}

/** A call as the journal shows it. */
export function callAnswer({ id, at, realAt, screenId, nearMiss, ...call }: Call) {
  const times = { at: new Date(at).toISOString(), real_at: new Date(realAt).toISOString() };
  return { id, ...times, ...call, screen_id: screenId, near_miss: nearMiss };
}
