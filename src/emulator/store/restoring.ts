import { z } from "zod";
import type { ClockSetting } from "../clock.ts";
import type { Call, KeptCalls } from "../http/journal.ts";
import type { NetworkState } from "../network.ts";
import { enter, type LedgerSpot, newLedger } from "../spot/ledger.ts";
import { type KeptRows, StoreError } from "./file.ts";
import { fromJson } from "./json.ts";

/** A network as it was kept. */
export interface Restored {
  readonly state: NetworkState;
  readonly clock: ClockSetting;
  readonly journal: KeptCalls;
}

/** The seed that a file's network was started with; of a file that makes no sense none, for `restored` to complain. */
export function keptSeed(rows: KeptRows | null): number | undefined {
  try {
    return z.object({ seed: z.number() }).safeParse(fromJson(rows?.parts.get("dice") ?? "null")).data?.seed;
  } catch {
    return undefined;
  }
}

/** How the clock stood, and what the machine's said then. */
export const keptClockSchema = z.object({
  mode: z.enum(["real", "frozen"]),
  now: z.number(),
  speed: z.number().positive(),
  wall: z.number(),
});
const lastIdSchema = z.number();

const record = z.looseObject({ at: z.number(), status: z.number().optional() });
const itemSchema = z
  .looseObject({ id: z.string(), url: z.string(), popPath: z.string(), shownAt: z.number() })
  .extend({ media: z.array(record), pops: z.array(record) })
  .nullable();
const spotSchema = z.looseObject({
  requestId: z.string(),
  screenId: z.string(),
  issuedAt: z.number(),
  news: itemSchema,
  ad: itemSchema,
});
const callSchema = z.looseObject({ id: z.number(), at: z.number(), path: z.string(), status: z.number() });

/**
 * Reads what a file has kept; throws a `StoreError` when it makes no sense. A clock that ran has gone on meanwhile.
 * `fresh`: the state that the world would begin in, whose parts those of the file replace.
 */
export function restored({ parts, spots, calls }: KeptRows, fresh: NetworkState, wall: number): Restored {
  try {
    const part = (name: string) => fromJson(parts.get(name) ?? "null");
    const kept = Object.entries(fresh)
      .filter(([name]) => name !== "ledger" && parts.has(name))
      .map(([name, usual]) => [name, shapedAs(usual, part(name), name)]);
    const ledger = newLedger();
    for (const spot of spots) enter(ledger, spotSchema.parse(fromJson(spot)) as unknown as LedgerSpot);
    const { mode, now, speed, wall: then } = keptClockSchema.parse(part("clock"));
    const elapsedMs = mode === "frozen" ? 0 : Math.max(0, wall - then) * speed;
    return {
      state: { ...fresh, ...Object.fromEntries(kept), ledger },
      clock: { mode, now: Math.floor(now + elapsedMs), speed },
      journal: {
        calls: calls.map((call) => callSchema.parse(fromJson(call)) as unknown as Call),
        lastId: lastIdSchema.parse(part("lastId")),
      },
    };
  } catch (error) {
    throw new StoreError(`what is in it makes no sense: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function shapedAs(usual: unknown, kept: unknown, name: string): unknown {
  const shape = (value: unknown) =>
    value instanceof Map ? "map" : Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
  if (shape(usual) === shape(kept)) return kept;
  throw new Error(`${name} is a ${shape(kept)}, not a ${shape(usual)}`);
}
