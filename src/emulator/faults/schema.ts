import { z } from "zod";
import { routes } from "../../wire/routes.ts";
import { knownKeys, mustBeOneOf } from "../problems.ts";
import { effects } from "./effects.ts";

const LONGEST_NAME = 100;
/** The most rules in force at a time. */
export const MOST_FAULTS = 100;
/** A year; a fault for longer is one for good. */
const LONGEST_SECONDS = 366 * 24 * 3_600;

type EffectsShape = { [Name in keyof typeof effects]: z.ZodOptional<(typeof effects)[Name]["schema"]> };
const effectsShape = Object.fromEntries(
  Object.entries(effects).map(([name, { schema }]) => [name, schema.optional()]),
) as unknown as EffectsShape;

/**
 * What goes wrong with a call. Of what answers in place of the network the first in the table of effects decides; the
 * rest changes whatever answer there is.
 */
export const faultEffectsSchema = knownKeys(effectsShape)
  .refine((given) => Object.values(given).some((value) => value !== undefined), "says nothing to do")
  .refine(({ status, body }) => body === undefined || status !== undefined, "a body needs a status");
export type FaultEffects = z.infer<typeof faultEffectsSchema>;

/** As the journal calls them. */
export const ROUTE_NAMES: readonly string[] = [...Object.keys(routes), "media", "pop"];

/** Which calls a rule is about: all that is given must fit, and what is left out fits every call. */
const matchSchema = knownKeys({
  surface: z.enum(["service", "media"]).optional(),
  /** As in the journal: `spot`, `location`, `approval`… on the service, `media` and `pop` on the media listener. */
  route: z
    .string()
    .refine((name) => ROUTE_NAMES.includes(name), {
      error: ({ input }) => mustBeOneOf(ROUTE_NAMES, input),
    })
    .optional(),
  /** With `screen_id`, where several organizations have a screen of that id. */
  org_token: z.string().optional(),
  screen_id: z.string().optional(),
  /** Only calls for one item of a spot: its media or its proof of play. */
  kind: z.enum(["news", "ad"]).optional(),
  /** Of the file that is asked for or proved, as `video/mp4` or `video/*`. */
  mimeType: z.string().optional(),
});
export type FaultMatch = z.infer<typeof matchSchema>;

/**
 * A rule. Of the calls that it matches it lets `skip` pass, then strikes with `probability`, at most `times` in all and for
 * no longer than `forSeconds` of the network's time.
 */
export const faultSchema = knownKeys({
  name: z.string().min(1).max(LONGEST_NAME).optional(),
  match: matchSchema.default({}),
  times: z.int().nonnegative().nullable().default(null),
  skip: z.int().nonnegative().default(0),
  probability: z.number().min(0).max(1).default(1),
  forSeconds: z.number().positive().max(LONGEST_SECONDS).nullable().default(null),
  do: faultEffectsSchema,
});
export type Fault = z.infer<typeof faultSchema> & { readonly name: string };
/** A rule as it is written, with what may be left out left out. */
export type FaultFile = z.input<typeof faultSchema>;

/** Bad days that screens have, by name. */
export const presets = {
  /** A mobile link at the edge of its cell: slow, uneven, and now and then gone in the middle of something. */
  "flaky-lte": [
    { name: "flaky-lte: lost", match: {}, probability: 0.03, do: { reset: true } },
    { name: "flaky-lte: broken off", match: { route: "media" }, probability: 0.05, do: { truncateAt: 40_000 } },
    {
      name: "flaky-lte: thin",
      match: { route: "media" },
      do: { latencyMs: { min: 60, max: 900 }, bytesPerSecond: 400_000 },
    },
    { name: "flaky-lte: slow", match: {}, do: { latencyMs: { min: 60, max: 900 } } },
  ],
  /** A service that has had enough of this client every other time. */
  "rate-limited": [
    { name: "rate-limited", match: { surface: "service" }, probability: 0.5, do: { status: 429, retryAfter: 10 } },
  ],
  /** A content network with everything that they have been seen to do; spots and proofs are fine. */
  "broken-cdn": [
    {
      name: "broken-cdn: down",
      match: { route: "media" },
      probability: 0.15,
      do: { status: 502, body: "<h1>Bad gateway</h1>", contentType: "text/html" },
    },
    { name: "broken-cdn: broken off", match: { route: "media" }, probability: 0.15, do: { truncateAt: 10_000 } },
    { name: "broken-cdn: corrupt", match: { route: "media" }, probability: 0.15, do: { corrupt: 16 } },
    {
      name: "broken-cdn: an error page as 200",
      match: { route: "media" },
      probability: 0.1,
      do: { status: 200, body: "<h1>Oops</h1>", contentType: "text/html" },
    },
    { name: "broken-cdn: in circles", match: { route: "media" }, probability: 0.1, do: { redirect: "loop" } },
    { name: "broken-cdn: slow", match: { route: "media" }, probability: 0.2, do: { bytesPerSecond: 50_000 } },
  ],
  /** Everything answers that it will be back in two minutes. */
  maintenance: [
    {
      name: "maintenance",
      match: {},
      do: { status: 503, retryAfter: 120, body: "<h1>Back soon</h1>", contentType: "text/html" },
    },
  ],
  /** Nothing answers. */
  offline: [{ name: "offline", match: {}, do: { reset: true } }],
} as const satisfies Readonly<Record<string, readonly FaultFile[]>>;

type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets) as PresetName[];

const presetSchema = z.enum(presetNames as [PresetName, ...PresetName[]], {
  error: ({ input }) => mustBeOneOf(presetNames, input),
});
const presetObjectSchema = knownKeys({ preset: presetSchema, forSeconds: faultSchema.shape.forSeconds });

/** What an entry can be. It is read by hand, so that its mistakes are told well, and described by this. */
const describedEntry = z.union([presetSchema, presetObjectSchema, faultSchema]);
const { $schema: _, ...entryDescription } = z.toJSONSchema(describedEntry, { io: "input", unrepresentable: "any" });

/**
 * One entry of a list of faults: a rule, or a preset as `"offline"` or `{"preset":"offline","forSeconds":60}`, which is
 * some rules.
 */
export const faultEntrySchema = z
  .unknown()
  .meta(entryDescription)
  .transform((written, context): Fault[] => {
    const read = readEntry(written);
    if (read.success) return read.data;
    for (const { message, path } of read.error.issues) {
      context.issues.push({ code: "custom", message, path: [...path], input: written });
    }
    return z.NEVER;
  }) as z.ZodType<Fault[], FaultEntry>;
export type FaultEntry =
  | FaultFile
  | PresetName
  | { readonly preset: PresetName; readonly forSeconds?: number | null | undefined };

/** A list of faults, in order; presets are put in their place. */
export const faultListSchema = z
  .array(faultEntrySchema)
  .max(MOST_FAULTS)
  .transform((entries) => entries.flat())
  .refine((rules) => rules.length <= MOST_FAULTS, `at most ${MOST_FAULTS} rules`);

function readEntry(written: unknown) {
  if (typeof written === "string") return presetSchema.transform((preset) => rulesOf(preset)).safeParse(written);
  if (typeof written === "object" && written !== null && "preset" in written) {
    return presetObjectSchema.transform(({ preset, forSeconds }) => rulesOf(preset, forSeconds)).safeParse(written);
  }
  return faultSchema.transform((rule) => [named(rule)]).safeParse(written);
}

function rulesOf(preset: PresetName, forSeconds: number | null = null): Fault[] {
  return presets[preset].map((rule) => named(faultSchema.parse({ ...rule, forSeconds })));
}

/** A rule that was given no name is called by what it strikes and does: `spot screen_demo: status 503`. */
function named(rule: z.infer<typeof faultSchema>): Fault {
  const calls = Object.values(rule.match).join(" ") || "all";
  const does = Object.entries(rule.do).map(([key, value]) =>
    value === true ? key : `${key} ${JSON.stringify(value)}`,
  );
  return { ...rule, name: rule.name ?? `${calls}: ${does.join(", ")}`.slice(0, LONGEST_NAME) };
}
