import { z } from "zod";
import type { Reply, Subject } from "./subject.ts";

/**
 * One thing that a service should do. `basis`: the contract says so, or it is the reading of the emulator's table of
 * behaviours, which a live service may answer otherwise. Success codes and the errors of all but reject are readings:
 * the contract shows neither.
 */
export interface Check {
  /** A chapter of the contract, or the rows of the table of behaviours that read it so. */
  readonly id: string;
  readonly name: string;
  readonly basis: "contract" | "reading";
  /** What was wrong, a line each; nothing when it is as it should be. */
  run(subject: Subject): Promise<readonly string[]>;
}

/** Complains unless an answer has one of these statuses. */
export function hasStatus(reply: Reply, ...statuses: readonly number[]): string[] {
  return statuses.includes(reply.status) ? [] : [`expected ${statuses.join(" or ")}, found ${reply.status}`];
}

/** Complains unless an answer was a success. */
export function succeeded(reply: Reply): string[] {
  return reply.status >= 200 && reply.status < 300 ? [] : [`expected a success, found ${reply.status}`];
}

/** Complains unless an answer was a refusal, whichever. */
export function refused(reply: Reply): string[] {
  return reply.status >= 400 && reply.status < 500 ? [] : [`expected a refusal, found ${reply.status}`];
}

/** Complains about every part of a value that a schema does not take. */
export function fits(value: unknown, schema: z.ZodType): string[] {
  const read = schema.safeParse(value);
  return read.success ? [] : complaintsOf(read.error);
}

/** A line for each thing that is wrong with an answer. */
export function complaintsOf({ issues }: z.ZodError): string[] {
  return issues.map(({ path, message }) => `${path.join(".") || "answer"}: ${message}`);
}

/** Complains about each of some fields that is not as expected. */
export function has(value: unknown, expected: Readonly<Record<string, unknown>>): string[] {
  const fields = (value ?? {}) as Readonly<Record<string, unknown>>;
  return Object.entries(expected).flatMap(([field, wanted]) => {
    const found = JSON.stringify(fields[field]);
    return found === JSON.stringify(wanted) ? [] : [`${field}: expected ${JSON.stringify(wanted)}, found ${found}`];
  });
}

/** Complains unless two answers have the same body. */
export function unchanged(before: Reply, after: Reply): string[] {
  const same = JSON.stringify(before.body) === JSON.stringify(after.body);
  return same ? [] : ["it was changed by a request that was refused"];
}

/**
 * What the contract itself says of answers, and no more: which fields there are and of which type. That a key is there
 * though its value is unknown, or which characters an identifier has, is our reading (A11, A17) and checked as such.
 */
const known = <T extends z.ZodType>(type: T) => type.nullish();

const week = z.array(z.boolean()).length(168, "must have exactly 168 booleans");
const visitors = z.array(z.int()).length(7, "must have exactly 7 integers");
const timestamp = z.iso.datetime({ offset: true, local: true });

/** "Location" of the contract; the fields of its review are there once they were sent. */
export const contractLocation = z.object({
  ...{ location_id: z.string(), title: z.string(), venue_type_id: known(z.string()) },
  ...{ lat: known(z.number().min(-90).max(90)), long: known(z.number().min(-180).max(180)) },
  ...{ opening_168: known(week), visitors_7: known(visitors) },
  ...{ status: z.enum(["DRAFT", "REVIEW", "APPROVED"]), available_for_ads: z.boolean(), archived: z.boolean() },
  ...{ email: known(z.string()), phone: known(z.string()), timezone: known(z.string()), country: known(z.string()) },
  ...{ region: known(z.string()), city: known(z.string()), zip: known(z.string()), address: known(z.string()) },
});

/** "Screen". */
export const contractScreen = z.object({
  ...{ screen_id: z.string(), title: z.string(), venue_type_id: z.string(), location_id: z.string() },
  ...{ width: z.int(), height: z.int(), loop_duration: z.int() },
  ...{ archived: z.boolean(), available_for_ads: z.boolean(), amount: known(z.int()), imps_weekly: known(z.int()) },
});

/** "Venue type", as a list of them. */
export const contractVenueTypes = z.array(
  z.object({
    ...{ label: z.string(), id: z.string(), parent_id: z.string().nullable() },
    ...{ level: z.literal([1, 2, 3]), selectable: z.boolean(), description: known(z.string()) },
  }),
);

/** What "called with GET" and "where to fetch" need: a URL that stands alone. */
const callable = z.url({ protocol: /^https?$/i, error: "is no URL that a player could call" });

const contractItem = z.object({
  ...{ id: z.string(), title: z.string(), mimeType: z.string() },
  ...{ height: z.int(), width: z.int(), duration: z.int(), url: callable, pop: callable },
});

/** "Spot"; whether there always are both items is not said (F1). */
export const contractSpot = z.object({
  data: z.object({
    ...{ requestId: z.string(), billable: z.boolean(), newsFirst: z.boolean() },
    ...{ news: known(contractItem.extend({ newsType: z.string() })), ad: known(contractItem) },
  }),
});

const reasons = z.array(z.enum(["ADVERTISER", "INAPPROPRIATE", "FILTER", "CUSTOM"]));

/** "Creative approval request" as get returns it. */
export const contractApproval = z.object({
  ...{ car_id: z.string(), status: z.enum(["pending", "approved", "rejected"]), advertiser_name: z.string() },
  ...{ cities: z.array(z.unknown()), countries: z.array(z.unknown()) },
  item: z.object({
    ...{ url: z.string(), title: z.string(), width: z.int(), height: z.int(), duration: z.int() },
    ...{ mimeType: z.string(), size: known(z.int()), md5: known(z.string()) },
  }),
  ...{ rejection_reasons: reasons.nullable(), custom_message: known(z.string()), created_on: timestamp },
});

/** The same as reject returns it, under other names. */
export const contractRejection = z.object({
  ...{ id: z.string(), status: z.literal("rejected"), advertiser_name: z.string(), campaign_name: z.string() },
  ...{ rejection_reasons: reasons, custom_message: known(z.string()), created_at: timestamp, updated_at: timestamp },
});
