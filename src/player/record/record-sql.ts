import { hash, randomUUID } from "node:crypto";
import {
  type EndedPlayout,
  type PlayoutEntry,
  playoutEntry,
  type RecordEntry,
  type RecordNotice,
} from "../../core/proofs/record.ts";
import type { Instant } from "../../core/spot.ts";
import type { ClockReading } from "../service-clock.ts";
import type { Database, Statement } from "../stores/database.ts";
import { NOTHING_BEFORE, rowOf, type StoredRow } from "./record-row.ts";

/**
 * When a checkpoint was made, as long as the service's time was not known by then: the latest instant that a date can tell,
 * so that nothing goes for its age meanwhile.
 */
export const UNDATED: Instant = 8_640_000_000_000_000;

const INSERT = `
  insert into record (sequence, previous, type, ended, started, clock_offset, boot_id, started_monotonic,
    ended_monotonic, screen_id, request_id, item_id, kind, title, digest, duration, first_frame_age, outcome, reason,
    display, pop_hash, version, notice, hash)
  values (@sequence, @previous, @type, @ended, @started, @clockOffset, @bootId, @startedMonotonic,
    @endedMonotonic, @screenId, @requestId, @itemId, @kind, @title, @digest, @duration, @firstFrameAge, @outcome, @reason,
    @display, @popHash, @version, @notice, @hash)`;

/** A row, with its columns named as in `StoredRow`. */
export const ROW_COLUMNS = `
  sequence, previous, type, ended, started, clock_offset as clockOffset, boot_id as bootId,
  started_monotonic as startedMonotonic, ended_monotonic as endedMonotonic, screen_id as screenId,
  request_id as requestId, item_id as itemId, kind, title, digest, duration, first_frame_age as firstFrameAge, outcome,
  reason, display, pop_hash as popHash, version, notice, hash`;

const TIP = `
  select sequence, hash, screen_id as screenId, request_id as requestId, pop_hash as popHash, boot_id as bootId,
    ended_monotonic as endedMonotonic
  from record order by sequence desc limit 1`;

// Rows about the record are few, and found by an index that has no others.
const LAST_NOTICE = "select notice from record where type <> 'playout' and type =";

const LAST_CHECKPOINT = "select size, made, note, frontier from checkpoint order by size desc limit 1";
const LAST_DATED = `select made from checkpoint where made < ${UNDATED} order by size desc limit 1`;
const DATE_CHECKPOINTS = `update checkpoint set made = @made where made >= ${UNDATED}`;
const ADD_CHECKPOINT = `
  insert into checkpoint (size, made, note, frontier) values (@size, @made, @note, @frontier) on conflict do nothing`;

const REMOVE = `
  delete from record where sequence in (
    select sequence from record where sequence < @size order by sequence limit @limit
  )`;

/** The last row, as far as the next one has to know it. */
export interface Tip {
  readonly sequence: number;
  readonly hash: Buffer;
  readonly screenId: string | null;
  readonly requestId: string | null;
  readonly popHash: Buffer | null;
  readonly bootId: string | null;
  readonly endedMonotonic: number | null;
}

/** A checkpoint as its table has it. */
export interface StoredCheckpoint {
  /** How many rows it covers, from the first that there ever was. */
  readonly size: number;
  /** By the service's clock, epoch milliseconds, or `UNDATED`. */
  readonly made: number;
  readonly note: string;
  readonly frontier: Buffer;
}

interface Notice {
  /** JSON. */
  readonly notice: string;
}

/** What the record asks its database for without changing anything. */
export interface RecordReading {
  readonly tip: Statement<[], Tip>;
  readonly first: Statement<[], { readonly sequence: number | null }>;
  readonly lastBegun: Statement<[], Notice>;
  readonly lastKey: Statement<[before: number], Notice>;
  readonly lastPruned: Statement<[], Notice>;
  readonly lastCheckpoint: Statement<[], StoredCheckpoint>;
}

/** Everything that the record says to its database, prepared once for as long as that is open. */
export interface RecordStatements extends RecordReading {
  readonly insert: Statement<StoredRow>;
  readonly hashAt: Statement<[number], { readonly hash: Buffer }>;
  readonly hashes: Statement<[from: number, limit: number], { readonly hash: Buffer }>;
  readonly addCheckpoint: Statement<StoredCheckpoint>;
  /** When the last one was made of those that are dated. */
  readonly lastDated: Statement<[], Pick<StoredCheckpoint, "made">>;
  readonly dateCheckpoints: Statement<Pick<StoredCheckpoint, "made">>;
  /** The largest that was made before an instant; the smallest of at least a size. */
  readonly sizeBefore: Statement<[at: number], { readonly size: number | null }>;
  readonly sizeFrom: Statement<[size: number], { readonly size: number | null }>;
  readonly unwitnessed: Statement<[], { readonly size: number; readonly note: string }>;
  readonly setWitness: Statement<{ readonly size: number; readonly witness: "taken" | "refused" }>;
  readonly remove: Statement<{ readonly size: number; readonly limit: number }>;
  readonly removeCheckpoints: Statement<[size: number]>;
  /** Reads before it writes, and so takes the file for itself first. */
  inOneWrite<T>(act: () => T): T;
}

export function prepareReading(db: Database): RecordReading {
  return {
    tip: db.prepare(TIP),
    first: db.prepare("select min(sequence) as sequence from record"),
    lastBegun: db.prepare(`${LAST_NOTICE} 'begun' order by sequence desc limit 1`),
    lastKey: db.prepare(`${LAST_NOTICE} 'key' and sequence < ? order by sequence desc limit 1`),
    lastPruned: db.prepare(`${LAST_NOTICE} 'pruned' order by sequence desc limit 1`),
    lastCheckpoint: db.prepare(LAST_CHECKPOINT),
  };
}

export function prepareRecord(db: Database): RecordStatements {
  return {
    ...prepareReading(db),
    insert: db.prepare(INSERT),
    hashAt: db.prepare("select hash from record where sequence = ?"),
    hashes: db.prepare("select hash from record where sequence >= ? order by sequence limit ?"),
    addCheckpoint: db.prepare(ADD_CHECKPOINT),
    lastDated: db.prepare(LAST_DATED),
    dateCheckpoints: db.prepare(DATE_CHECKPOINTS),
    sizeBefore: db.prepare("select max(size) as size from checkpoint where made < ?"),
    sizeFrom: db.prepare("select min(size) as size from checkpoint where size >= ?"),
    unwitnessed: db.prepare("select size, note from checkpoint where witness is null order by size limit 1"),
    setWitness: db.prepare("update checkpoint set witness = @witness where size = @size"),
    remove: db.prepare(REMOVE),
    removeCheckpoints: db.prepare("delete from checkpoint where size < ?"),
    inOneWrite: (act) => db.transaction(act).immediate(),
  };
}

/** Adds the row of a playout, within a transaction of the caller's; one that is the last row already is not added again. */
export function appendPlayout(record: RecordStatements, ended: EndedPlayout, reading: ClockReading): void {
  const popHash = hash("sha256", ended.playout.item.pop);
  const entry = playoutEntry(ended, reading, popHash);
  const tip = record.tip.get();
  if (tip !== undefined && isOf(tip, entry)) return;
  add(record, entry, tip);
}

/** Adds a row about the record itself, within a transaction of the caller's. */
export function appendNotice(record: RecordStatements, notice: RecordNotice, at: Instant): void {
  add(record, { ...notice, endedAt: Math.round(at) }, record.tip.get());
}

/** The first row of a record names it: should its file be lost, the one that takes over is another record. */
function add({ insert }: RecordStatements, entry: RecordEntry, tip: Tip | undefined): void {
  let { sequence, hash: previous } = tip ?? { sequence: -1, hash: NOTHING_BEFORE };
  const begun = { type: "begun", origin: `spotloop/record/${randomUUID()}`, endedAt: entry.endedAt } as const;
  for (const next of tip === undefined ? [begun, entry] : [entry]) {
    const row = rowOf(next, sequence + 1, previous);
    insert.run(row);
    ({ sequence, hash: previous } = row);
  }
}

/** By when it ended, too: a service may name no requests (F1), and give the same URL again. */
function isOf(tip: Tip, { screenId, requestId, popHash, bootId, endedMonotonicMs }: PlayoutEntry): boolean {
  const isOfRequest = tip.screenId === screenId && tip.requestId === requestId;
  const isSameProof = tip.popHash?.toString("hex") === popHash;
  return isOfRequest && isSameProof && tip.bootId === bootId && tip.endedMonotonic === endedMonotonicMs;
}
