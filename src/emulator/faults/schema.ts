import { z } from "zod";
import { routes } from "../../wire/routes.ts";

/** The most rules in force at a time. */
export const MOST_FAULTS = 100;
/** No player waits longer for anything, so longer is a mistake. */
const LONGEST_LATENCY_MS = 600_000;
/** The most that a body or a patch may nest; beyond it nobody can read it either. */
const DEEPEST_JSON = 50;

const ms = z.int().nonnegative().max(LONGEST_LATENCY_MS);
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, "must be printable ASCII");
const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "must be a header's name");
const json = z.unknown().refine((value) => isShallow(value, DEEPEST_JSON), "nests too deep");

/**
 * What goes wrong with a call. `reset`, `hang`, `redirect`, `empty`, `status` and `retryAfter` answer in place of the
 * network, which then does nothing; the first of them in this order decides. The rest changes whatever answer there is.
 */
export const mischiefSchema = z
  .strictObject({
    /** Answers with this status, and with `body` where one is given: a text as it is, anything else as JSON. */
    status: z.int().min(200).max(599).optional(),
    body: json.optional(),
    /** Puts these into the answer, over those it has. */
    headers: z.record(headerName, headerValue).optional(),
    /** Whole seconds or an HTTP date; with 429 unless `status` says otherwise (A14). */
    retryAfter: z.union([z.int().nonnegative(), headerValue.min(1)]).optional(),
    /** Holds the answer back for so much virtual time. The call itself is judged by when it came in (F7). */
    latencyMs: z
      .union([ms, z.strictObject({ min: ms, max: ms }).refine(({ min, max }) => min <= max, "min is above max")])
      .optional(),
    /** Never answers. */
    hang: z.literal(true).optional(),
    /** Breaks the TCP connection off without an answer. */
    reset: z.literal(true).optional(),
    /** Answers 204. */
    empty: z.literal(true).optional(),
    /** Breaks the connection off after so many bytes of the body; the head promises all of it. */
    truncateAt: z.int().nonnegative().optional(),
    /** Inverts so many bytes of the body, or one. */
    corrupt: z.union([z.literal(true), z.int().min(1).max(1000)]).optional(),
    /** Sends the body no faster than so many bytes in a second of virtual time. */
    bytesPerSecond: z.int().positive().optional(),
    /** Leaves out the second half of a JSON answer. */
    malformedJson: z.literal(true).optional(),
    contentType: headerValue.min(1).optional(),
    /** How far off `Content-Length` is: so many bytes too many, or too few when negative; `true` is 1. */
    wrongLength: z
      .union([
        z.literal(true),
        z
          .int()
          .min(-1_000_000)
          .max(1_000_000)
          .refine((by) => by !== 0, "must not be 0"),
      ])
      .optional(),
    /** Answers 302: to the same URL again, so that it never ends (`true` or `"loop"`), or to a URL. */
    redirect: z.union([z.literal(true), headerValue.min(1)]).optional(),
    /** A JSON merge patch (RFC 7396) on a JSON answer: `null` takes a member away. */
    patch: json.optional(),
    /** Puts the `Date` header off by so much. */
    dateSkewMs: z.int().min(-1e12).max(1e12).optional(),
  })
  .refine((mischief) => Object.values(mischief).some((value) => value !== undefined), "says nothing to do")
  .refine(({ status, body }) => body === undefined || status !== undefined, "a body needs a status");
export type Mischief = z.infer<typeof mischiefSchema>;

/** As the journal calls them. */
const ROUTE_NAMES: readonly string[] = [...Object.keys(routes), "media", "pop"];

/** Which calls a rule is about: all that is given must fit, and what is left out fits every call. */
const matchSchema = z.strictObject({
  surface: z.enum(["service", "media"]).optional(),
  /** As in the journal: `spot`, `location`, `approval`… on the service, `media` and `pop` on the media listener. */
  route: z
    .string()
    .refine((name) => ROUTE_NAMES.includes(name), `must be one of ${ROUTE_NAMES.join(", ")}`)
    .optional(),
  screen_id: z.string().optional(),
  /** Only calls for one item of a spot: its media or its proof of play. */
  kind: z.enum(["news", "ad"]).optional(),
  /** Of the file that is asked for or proved, as `video/mp4` or `video/*`. */
  mimeType: z.string().optional(),
});
export type FaultMatch = z.infer<typeof matchSchema>;

/** A rule. Of the calls that it matches it lets `skip` pass, then strikes with `probability`, at most `times` in all. */
export const faultSchema = z.strictObject({
  name: z.string().min(1).max(100).default("unnamed"),
  match: matchSchema.default({}),
  times: z.int().nonnegative().nullable().default(null),
  skip: z.int().nonnegative().default(0),
  probability: z.number().min(0).max(1).default(1),
  do: mischiefSchema,
});
export type Fault = z.infer<typeof faultSchema>;
/** A rule as it is written, with what may be left out left out. */
export type FaultFile = z.input<typeof faultSchema>;

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return levels > 0 && Object.values(value).every((member) => isShallow(member, levels - 1));
}
