import { hash } from "node:crypto";
import canonicalize from "canonicalize";
import type { PlayoutEntry, RecordEntry, RecordNotice } from "../../core/proofs/record.ts";

/** A row as its hash covers it, and as it is exported: instants are ISO 8601, UTC; hashes are hexadecimal. */
export type RecordRow = Place & (ListedPlayout | ListedNotice);

interface Place {
  readonly sequence: number;
  /** The hash of the row before; of the first one zeros. */
  readonly previous: string;
}

export type ListedPlayout = Omit<PlayoutEntry, "startedAt" | "endedAt"> & {
  readonly startedAt: string | null;
  readonly endedAt: string;
};

export type ListedNotice = RecordNotice & { readonly endedAt: string };

/** A row as its table has it. */
export interface StoredRow {
  readonly sequence: number;
  readonly previous: Buffer;
  readonly type: RecordEntry["type"];
  readonly ended: number;
  readonly started: number | null;
  readonly clockOffset: number | null;
  readonly bootId: string | null;
  readonly startedMonotonic: number | null;
  readonly endedMonotonic: number | null;
  readonly screenId: string | null;
  readonly requestId: string | null;
  readonly itemId: string | null;
  readonly kind: string | null;
  readonly title: string | null;
  readonly digest: Buffer | null;
  readonly duration: number | null;
  readonly firstFrameAge: number | null;
  readonly outcome: string | null;
  readonly reason: string | null;
  readonly display: string | null;
  readonly popHash: Buffer | null;
  readonly version: string | null;
  /** Of what is no playout, what it says, as JSON. */
  readonly notice: string | null;
  readonly hash: Buffer;
}

/** A row as people and other programs read it. */
export function listed(row: Omit<StoredRow, "hash">): RecordRow {
  if (row.notice !== null) return listedNotice(row, row.notice);
  // Without spreads, which would take as long as the hash.
  const playout = {
    sequence: row.sequence,
    previous: row.previous.toString("hex"),
    type: row.type,
    screenId: row.screenId,
    requestId: row.requestId,
    itemId: row.itemId,
    kind: row.kind,
    title: row.title,
    digest: row.digest === null ? null : row.digest.toString("hex"),
    startedAt: row.started === null ? null : iso(row.started),
    endedAt: iso(row.ended),
    clockOffsetMs: row.clockOffset,
    bootId: row.bootId,
    startedMonotonicMs: row.startedMonotonic,
    endedMonotonicMs: row.endedMonotonic,
    durationMs: row.duration,
    firstFrameAgeMs: row.firstFrameAge,
    outcome: row.outcome,
    reason: row.reason,
    display: row.display,
    popHash: row.popHash === null ? null : row.popHash.toString("hex"),
    version: row.version,
  };
  return playout as RecordRow;
}

function listedNotice({ sequence, previous, type, ended }: Omit<StoredRow, "hash">, notice: string): RecordRow {
  const place = { sequence, previous: previous.toString("hex") };
  return { ...place, type, endedAt: iso(ended), ...noticeIn(notice) } as RecordRow;
}

/** One that somebody has broken is told as it is: that it was changed is for a verifier to find. */
export function noticeIn(json: string): Partial<Readonly<Record<"origin" | "key" | "notice", string>>> & {
  readonly size?: number;
} {
  try {
    return JSON.parse(json);
  } catch {
    return { notice: json };
  }
}

function iso(at: number): string {
  return Math.abs(at) <= LAST_INSTANT ? new Date(at).toISOString() : String(at);
}

/** The last that a date can tell, epoch milliseconds. */
const LAST_INSTANT = 8.64e15;

/** What the first row of all follows. */
export const NOTHING_BEFORE = Buffer.alloc(32);

/** The row of an entry that follows `previous`. */
export function rowOf(entry: RecordEntry, sequence: number, previous: Buffer): StoredRow {
  const row = entry.type === "playout" ? playoutRow(entry, sequence, previous) : noticeRow(entry, sequence, previous);
  return { ...row, hash: hashOf(listed(row)) };
}

/** SHA-256 over the row as canonical JSON (RFC 8785). */
function hashOf(row: RecordRow): Buffer {
  return hash("sha256", canonicalize(row) ?? "", "buffer");
}

type UnhashedRow = Omit<StoredRow, "hash">;

function playoutRow(entry: PlayoutEntry, sequence: number, previous: Buffer): UnhashedRow {
  return {
    sequence,
    previous,
    type: entry.type,
    ended: entry.endedAt,
    started: entry.startedAt,
    clockOffset: entry.clockOffsetMs,
    bootId: entry.bootId,
    startedMonotonic: entry.startedMonotonicMs,
    endedMonotonic: entry.endedMonotonicMs,
    screenId: entry.screenId,
    requestId: entry.requestId,
    itemId: entry.itemId,
    kind: entry.kind,
    title: entry.title,
    digest: entry.digest === null ? null : Buffer.from(entry.digest, "hex"),
    duration: entry.durationMs,
    firstFrameAge: entry.firstFrameAgeMs,
    outcome: entry.outcome,
    reason: entry.reason,
    display: entry.display,
    popHash: Buffer.from(entry.popHash, "hex"),
    version: entry.version,
    notice: null,
  };
}

function noticeRow(entry: Exclude<RecordEntry, PlayoutEntry>, sequence: number, previous: Buffer): UnhashedRow {
  const { type, endedAt: ended, ...notice } = entry;
  return { ...NO_PLAYOUT, sequence, previous, type, ended, notice: JSON.stringify(notice) };
}

const NO_PLAYOUT = {
  ...{ started: null, clockOffset: null, bootId: null, startedMonotonic: null, endedMonotonic: null },
  ...{ screenId: null, requestId: null, itemId: null, kind: null, title: null, digest: null, duration: null },
  ...{ firstFrameAge: null, outcome: null, reason: null, display: null, popHash: null, version: null },
};
