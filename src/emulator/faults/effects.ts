import { z } from "zod";
import type { Instant } from "../../core/spot.ts";
import { errorBody } from "../../wire/errors.ts";
import { isShallow, knownKeys } from "../problems.ts";
import { chance, type Dice } from "../random.ts";

/** A call that a fault strikes: the rule's name and its `body`, and path and query as they were sent. */
export interface StruckCall {
  readonly fault: string;
  readonly body: unknown;
  readonly target: string;
}

/** An answer that takes the network's place, or that there will be none. */
export type Replacement =
  | { readonly kind: "reset" | "hang" }
  | { readonly kind: "answer"; readonly status: number; readonly body: string | null; readonly headers: Headers };

/** An answer with a body on its way out. `cut`: the connection is broken off after the pieces. */
export interface Outgoing {
  readonly headers: Headers;
  readonly pieces: Pieces;
  readonly sizeBytes: number;
  readonly cut: boolean;
}

/**
 * One thing that a fault can do: how a rule says it, and what it does at the stages at which it has something to do. The
 * stages come in the order of the members here, and the effects at one stage in the order of the table.
 */
export interface Effect<S extends z.ZodType = z.ZodType> {
  readonly schema: S;
  /** Whether what it strikes can be used all the same, so that it excuses no player. */
  readonly isHarmless?: true;
  /** Answers in place of the network, which then does nothing; the first effect that does so decides. */
  replace?(value: z.infer<S>, call: StruckCall): Replacement;
  /** Holds the answer back for so much virtual time. */
  delayMs?(value: z.infer<S>, dice: Dice): number;
  setHead?(headers: Headers, value: z.infer<S>): void;
  /** Changes a body that is JSON, before anything else is done to it. */
  changeJson?(body: Buffer, value: z.infer<S>): Buffer;
  changeBody?(answer: Outgoing, value: z.infer<S>, dice: Dice, pace: Pace): Outgoing;
}

/** No player waits longer for anything, so longer is a mistake. */
const LONGEST_LATENCY_MS = 600_000;
const ms = z.int().nonnegative().max(LONGEST_LATENCY_MS);
const headerValue = z.string().regex(/^[\t\x20-\x7e]*$/, "must be printable ASCII");
const headerName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "must be a header's name");
const json = z.unknown().refine((value) => isShallow(value), "nests too deep");

/** Everything that a fault can do, by the name that a rule's `do` has for it. */
export const effects = {
  /** Breaks the TCP connection off without an answer. */
  reset: effect({ schema: z.literal(true), replace: () => ({ kind: "reset" }) }),

  /** Never answers. */
  hang: effect({ schema: z.literal(true), replace: () => ({ kind: "hang" }) }),

  /** Answers 302: to the same URL again, so that it never ends (`true` or `"loop"`), or to a URL. */
  redirect: effect({
    schema: z.union([z.literal(true), headerValue.min(1)]),
    replace: (to, { target }) => {
      const location = to === true || to === "loop" ? target : to;
      return { kind: "answer", status: 302, body: null, headers: new Headers({ location }) };
    },
  }),

  /** Answers 204. */
  empty: effect({
    schema: z.literal(true),
    replace: () => ({ kind: "answer", status: 204, body: null, headers: new Headers() }),
  }),

  /** Answers with this status, and with `body` where one is given. */
  status: effect({ schema: z.int().min(200).max(599), replace: answerOf }),

  /** What `status` answers with: a text as it is, anything else as JSON. */
  body: effect({ schema: json }),

  /** Puts these into the answer, over those it has. */
  headers: effect({
    schema: z.record(headerName, headerValue),
    isHarmless: true,
    setHead: (headers, given) => {
      for (const [name, value] of Object.entries(given)) headers.set(name, value);
    },
  }),

  contentType: effect({
    schema: headerValue.min(1),
    setHead: (headers, type) => headers.set("content-type", type),
  }),

  /** Whole seconds or an HTTP date; with 429 unless `status` says otherwise (A14). */
  retryAfter: effect({
    schema: z.union([z.int().nonnegative(), headerValue.min(1)]),
    replace: (_, call) => answerOf(429, call),
    setHead: (headers, wait) => headers.set("retry-after", String(wait)),
  }),

  /** Puts the `Date` header off by so much. */
  dateSkewMs: effect({
    schema: z.int().min(-1e12).max(1e12),
    isHarmless: true,
    setHead: (headers, skewMs) => {
      const date = Date.parse(headers.get("date") ?? "");
      if (!Number.isNaN(date)) headers.set("date", new Date(date + skewMs).toUTCString());
    },
  }),

  /** Holds the answer back for so much virtual time (`steady`). The call itself is judged by when it came in (F7). */
  latencyMs: effect({
    schema: z.union([ms, knownKeys({ min: ms, max: ms }).refine(({ min, max }) => min <= max, "min is above max")]),
    isHarmless: true,
    delayMs: (latency, dice) => {
      if (typeof latency === "number") return latency;
      return latency.min + Math.floor(chance(dice, "fault-latency") * (latency.max - latency.min + 1));
    },
  }),

  /** A JSON merge patch (RFC 7396) on a JSON answer: `null` takes a member away. */
  patch: effect({
    schema: json,
    changeJson: (body, patch) => Buffer.from(JSON.stringify(mergePatch(JSON.parse(body.toString()), patch))),
  }),

  /** Leaves out the second half of a JSON answer. */
  malformedJson: effect({
    schema: z.literal(true),
    changeJson: (body) => body.subarray(0, Math.ceil(body.length / 2)),
  }),

  /** Inverts so many bytes of the body, or one. */
  corrupt: effect({
    schema: z.union([z.literal(true), z.int().min(1).max(1000)]),
    changeBody: (answer, count, dice) => {
      return { ...answer, pieces: inverted(answer.pieces, offsets(dice, Number(count), answer.sizeBytes)) };
    },
  }),

  /** Breaks the connection off after so many bytes of the body; the head promises all of it. */
  truncateAt: effect({
    schema: z.int().nonnegative(),
    changeBody: (answer, at) => {
      return at < answer.sizeBytes ? { ...answer, pieces: first(answer.pieces, at), cut: true } : answer;
    },
  }),

  /** Sends the body no faster than so many bytes in a second of virtual time. */
  bytesPerSecond: effect({
    schema: z.int().positive(),
    changeBody: (answer, speed, _, pace) => ({ ...answer, pieces: paced(answer.pieces, speed, pace) }),
  }),

  /** How far off `Content-Length` is: so many bytes too many, or too few when negative; `true` is 1. */
  wrongLength: effect({
    schema: z.union([
      z.literal(true),
      z
        .int()
        .min(-1_000_000)
        .max(1_000_000)
        .refine((by) => by !== 0, "must not be 0"),
    ]),
    changeBody: (answer, by) => {
      answer.headers.set("content-length", String(Math.max(0, answer.sizeBytes + Number(by))));
      // Nobody could tell where the next answer on the connection begins.
      answer.headers.set("connection", "close");
      return answer;
    },
  }),
};

/** What a rule's `do` has, by the names of the table. */
type Given = { readonly [Name in keyof typeof effects]?: unknown };

/** The effects that a rule has, each with its value, in the order of the table. */
export function effectsOf(given: Given): (readonly [effect: Effect, value: unknown])[] {
  const all = Object.entries<Effect>(effects) as [keyof Given, Effect][];
  return all.flatMap(([name, one]) => (given[name] === undefined ? [] : [[one, given[name]] as const]));
}

/** Whether what a rule does can keep an answer from being used. */
export function hinders(given: Given): boolean {
  return effectsOf(given).some(([one]) => !one.isHarmless);
}

function effect<S extends z.ZodType>(entry: Effect<S>): Effect<S> {
  return entry;
}

/** Statuses that have no body (RFC 9110, 15). */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

function answerOf(status: number, { fault, body }: StruckCall): Replacement {
  if (BODILESS.has(status)) return { kind: "answer", status, body: null, headers: new Headers() };
  if (typeof body === "string") {
    const headers = new Headers({ "content-type": "text/plain; charset=utf-8" });
    return { kind: "answer", status, body, headers };
  }
  const usual = status < 400 ? {} : errorBody(status, "fault", `the fault "${fault}" is in force`);
  const content = JSON.stringify(body === undefined ? usual : body);
  return { kind: "answer", status, body: content, headers: new Headers({ "content-type": "application/json" }) };
}

function offsets(dice: Dice, count: number, sizeBytes: number): ReadonlySet<number> {
  const wanted = Math.min(count, sizeBytes);
  const chosen = new Set<number>();
  while (chosen.size < wanted) chosen.add(Math.floor(chance(dice, "fault-corrupt") * sizeBytes));
  return chosen;
}

/** A body on its way out, piece by piece. */
export type Pieces = AsyncIterable<Uint8Array>;

/** Inverts the bytes at these offsets. */
async function* inverted(pieces: Pieces, offsets: ReadonlySet<number>): AsyncGenerator<Uint8Array> {
  let begin = 0;
  for await (const piece of pieces) {
    const copy = Uint8Array.from(piece);
    for (const offset of offsets) {
      const at = offset - begin;
      const byte = copy[at];
      if (byte !== undefined) copy[at] = byte ^ 0xff;
    }
    begin += piece.length;
    yield copy;
  }
}

/** The first `count` bytes. */
async function* first(pieces: Pieces, count: number): AsyncGenerator<Uint8Array> {
  let left = count;
  // Begun even where nothing is wanted of it: a file that is never read is never closed.
  for await (const piece of pieces) {
    if (left > 0) yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}

/** How often in a second a slow body moves. */
const STEPS_PER_SECOND = 10;

/** When a body may go on. */
export interface Pace {
  now(): Instant;
  /** Resolves at an instant of virtual time, or when the other side has gone. */
  until(at: Instant): Promise<void>;
}

/** Lets through so many bytes in a second of virtual time, a tenth of them at a time. */
async function* paced(pieces: Pieces, bytesPerSecond: number, pace: Pace): AsyncGenerator<Uint8Array> {
  const begunAt = pace.now();
  let sent = 0;
  const stepBytes = Math.ceil(bytesPerSecond / STEPS_PER_SECOND);
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += stepBytes) {
      const step = piece.subarray(at, at + stepBytes);
      yield step;
      sent += step.length;
      await pace.until(begunAt + (sent * 1000) / bytesPerSecond);
    }
  }
}

/** Applies a JSON merge patch (RFC 7396): members are merged, `null` takes one away, anything else takes its place. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
