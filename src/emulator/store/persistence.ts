import { z } from "zod";
import type { Instant } from "../../core/spot.ts";
import { type ClockSetting, LATEST_INSTANT } from "../clock.ts";
import type { Call, KeptCalls } from "../http/journal.ts";
import { screensCalled } from "../inventory/inventory.ts";
import type { Network, NetworkState } from "../network.ts";
import { enter, type LedgerItem, type LedgerSpot, newLedger } from "../spot/ledger.ts";
import { type KeptRows, type RowChanges, type StateFile, StoreError } from "./file.ts";

/** A network whose state is kept. */
export interface Persistence {
  /** Writes what is not written yet and closes the file; throws a `StoreError` when the disk does not take it. Once is enough. */
  stop(): void;
}

/** The most time that can be lost when the emulator is killed; nothing is lost when it is asked to stop. */
const SAVE_EVERY_MS = 1_000;
/** Saving may take this share of the time at most. */
const LARGEST_SHARE = 0.1;

/** Writes a network to its file soon after every call. */
export function keepIn(file: StateFile, network: Network): Persistence {
  let changes = changesOf(network);
  const save = () => {
    try {
      file.write(changes(Date.now()));
    } catch (error) {
      // What was to be written is not known to be there: next time it is everything.
      changes = changesOf(network);
      throw error;
    }
  };
  const stopSaving = soonAfterCalls(network, save);
  let stopped = false;
  return {
    stop() {
      if (stopped) return;
      stopped = true;
      stopSaving();
      try {
        save();
      } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : error;
        throw new StoreError(`the last of its state could not be saved (${code})`);
      } finally {
        file.close();
      }
    },
  };
}

function soonAfterCalls({ journal }: Network, save: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = SAVE_EVERY_MS;
  const due = () => {
    timer = undefined;
    const begunAt = performance.now();
    try {
      save();
    } catch (error) {
      // The network goes on in memory: the next call has it tried again, and stopping says so if that fails too.
      console.error("the emulator's state could not be saved:", error);
    }
    pauseMs = Math.max(SAVE_EVERY_MS, (performance.now() - begunAt) / LARGEST_SHARE);
  };
  const forget = journal.onAdded(() => {
    timer ??= setTimeout(due, pauseMs);
  });
  return () => {
    clearTimeout(timer);
    forget();
  };
}

/** Tells what about a network has changed since it was last asked. The first time that is everything. */
export function changesOf(network: Network): (wall: number) => RowChanges {
  const parts = new Map<string, string>();
  const marks = new Map<string, SpotMark>();
  let lastCall: Call | undefined;
  let afresh = true;
  return (wall) => {
    const { calls, lastId } = network.journal.kept();
    const changed = [...partsOf(network, wall)].filter(([name, content]) => parts.get(name) !== content);
    for (const [name, content] of changed) parts.set(name, content);
    const known = lastCall !== undefined && calls.at(lastCall.id - lastId - 1) === lastCall;
    const added = known ? calls.slice(calls.length - (lastId - (lastCall?.id ?? 0))) : calls;
    lastCall = calls.at(-1);
    const changes = {
      afresh,
      parts: changed,
      ...changedSpots(network.state.ledger.spots, marks),
      calls: added.map((call) => [call.id, toJson(call)] as const),
      goneCalls: known ? (calls[0]?.id ?? 1) - 1 : null,
    };
    afresh = false;
    return changes;
  };
}

/** A spot as it was written: the same one has not changed while its items' records have not. */
interface SpotMark {
  readonly spot: LedgerSpot;
  readonly records: string;
}

/** Told by what can change about a spot, since writing all of them out each time would cost more than everything else. */
function changedSpots(spots: ReadonlyMap<string, LedgerSpot>, marks: Map<string, SpotMark>) {
  const changed: [string, string][] = [];
  const replaced: string[] = [];
  for (const [requestId, spot] of spots) {
    const records = `${recordsOf(spot.news)}/${recordsOf(spot.ad)}`;
    const mark = marks.get(requestId);
    // After a reset with the same seed another spot has the request id of one that was written.
    if (mark?.spot === spot && mark.records === records) continue;
    // Written after those that come before it now, wherever the other one was.
    if (mark !== undefined && mark.spot !== spot) replaced.push(requestId);
    marks.set(requestId, { spot, records });
    changed.push([requestId, toJson(spot)]);
  }
  const gone = [...marks.keys()].filter((requestId) => !spots.has(requestId));
  for (const requestId of gone) marks.delete(requestId);
  return { spots: changed, goneSpots: [...gone, ...replaced] };
}

function recordsOf(item: LedgerItem | null): string {
  if (item === null) return "";
  const bytes = item.media.reduce((sum, media) => sum + media.bytes + Number(media.complete), 0);
  return `${item.pops.length},${item.media.length},${bytes}`;
}

/** A network as it was kept. */
interface Restored {
  readonly state: NetworkState;
  readonly clock: ClockSetting;
  readonly journal: KeptCalls;
}

/** Stands for a map: nobody names a member like this. */
const MAP = "\u0000map";
const MAP_IN_JSON = JSON.stringify(MAP);

/** Everything about a network that calls and time change; `wall`: what the machine's clock says. */
export function rowsOf(network: Network, wall: Instant): KeptRows {
  const spots = [...network.state.ledger.spots.values()].map(toJson);
  return { parts: partsOf(network, wall), spots, calls: network.journal.kept().calls.map(toJson) };
}

/** All but the spots and the calls, by name. */
function partsOf({ state, clock, journal }: Network, wall: Instant): Map<string, string> {
  const { ledger: _, ...parts } = state;
  const named = { ...parts, clock: { ...clock.reading(), wall }, lastId: journal.kept().lastId };
  return new Map(Object.entries(named).map(([name, part]) => [name, toJson(part)]));
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
const keptClockSchema = z.object({
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
  orgToken: z.string().optional(),
  screenId: z.string(),
  issuedAt: z.number(),
  news: itemSchema,
  ad: itemSchema,
});
const callSchema = z.looseObject({ id: z.number(), at: z.number(), path: z.string(), status: z.number() });

/**
 * Reads what was kept; throws a `StoreError` when it makes no sense. A clock that ran has gone on meanwhile.
 * `fresh`: the state that the world would begin in, whose parts those that were kept replace.
 */
export function restored({ parts, spots, calls }: KeptRows, fresh: NetworkState, wall: Instant): Restored {
  try {
    const part = (name: string) => fromJson(parts.get(name) ?? "null");
    const kept = Object.entries(fresh)
      .filter(([name]) => name !== "ledger" && parts.has(name))
      .map(([name, usual]) => [name, shapedAs(usual, part(name), name)]);
    const ledger = newLedger(fresh.ledger.most);
    const state = { ...fresh, ...Object.fromEntries(kept), ledger };
    for (const spot of spots) enter(ledger, spotIn(state, fromJson(spot)));
    const { mode, now, speed, wall: then } = keptClockSchema.parse(part("clock"));
    const elapsedMs = mode === "frozen" ? 0 : Math.max(0, wall - then) * speed;
    return {
      state,
      clock: { mode, now: Math.min(Math.floor(now + elapsedMs), LATEST_INSTANT), speed },
      journal: {
        calls: calls.map((call) => shaped<Call>(callSchema, fromJson(call))),
        lastId: lastIdSchema.parse(part("lastId")),
      },
    };
  } catch (error) {
    throw new StoreError(`what is in it makes no sense: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Makes a network what was kept of it. */
export function bringBack(network: Network, { state, clock, journal }: Restored): void {
  network.state = state;
  network.clock.set(clock);
  network.journal.restore(journal);
}

/** Spots of before had no organization: theirs is the first that has such a screen. */
function spotIn({ inventory }: NetworkState, kept: unknown): LedgerSpot {
  const spot = shaped<Omit<LedgerSpot, "orgToken"> & Partial<LedgerSpot>>(spotSchema, kept);
  const orgToken = spot.orgToken ?? screensCalled(inventory, spot.screenId)[0]?.organization.orgToken ?? "";
  return { ...spot, orgToken };
}

/** What was kept, if it fits: as it is, with its members in their order. */
function shaped<T>(schema: z.ZodType, kept: unknown): T {
  schema.parse(kept);
  return kept as T;
}

function shapedAs(usual: unknown, kept: unknown, name: string): unknown {
  const shape = (value: unknown) =>
    value instanceof Map ? "map" : Array.isArray(value) ? "list" : value === null ? "null" : typeof value;
  if (shape(usual) === shape(kept)) return kept;
  throw new Error(`${name} is a ${shape(kept)}, not a ${shape(usual)}`);
}

/** JSON in which maps are told from objects. */
function toJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => (member instanceof Map ? { [MAP]: [...member] } : member));
}

/** What `toJson` wrote; throws a `SyntaxError` for anything that is not JSON. */
function fromJson(text: string): unknown {
  // Looking at every member takes longer than all else, and most rows have no map.
  if (!text.includes(MAP_IN_JSON)) return JSON.parse(text);
  return JSON.parse(text, (_, member: unknown) => (isMap(member) ? new Map(member[MAP]) : member));
}

function isMap(member: unknown): member is Readonly<Record<typeof MAP, [unknown, unknown][]>> {
  return typeof member === "object" && member !== null && MAP in member && Array.isArray(member[MAP]);
}
