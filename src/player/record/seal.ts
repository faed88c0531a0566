import { createHash } from "node:crypto";
import type { ClockReading } from "../service-clock.ts";
import { checkpointText, originOf, type RecordKey, signedNote, verifierKey } from "./record-key.ts";
import { noticeIn } from "./record-row.ts";
import { appendNotice, type RecordReading, type RecordStatements, UNDATED } from "./record-sql.ts";

/** The tree over the rows of a record, up to some row. The last hash tells whether it is still that record. */
export interface Fold {
  readonly frontier: Frontier;
  readonly lastHash: Buffer | null;
}

/** How many rows are hashed in one turn: a few milliseconds. */
const FOLDED_AT_ONCE = 1_000;

/** The tree of the last checkpoint. */
export function foldOfLast({ lastCheckpoint, hashAt }: RecordStatements): Fold {
  const last = lastCheckpoint.get();
  if (last === undefined) return { frontier: EMPTY, lastHash: null };
  const lastHash = hashAt.get(last.size - 1)?.hash ?? null;
  return { frontier: fromBytes(last.size, last.frontier), lastHash };
}

/** The tree with the next rows, at most `FOLDED_AT_ONCE`; the same where there are none. */
export function foldMore({ hashes }: RecordStatements, fold: Fold): Fold {
  let { frontier, lastHash } = fold;
  for (const { hash } of hashes.all(frontier.size, FOLDED_AT_ONCE)) {
    frontier = withLeaf(frontier, hash);
    lastHash = hash;
  }
  return lastHash === fold.lastHash ? fold : { frontier, lastHash };
}

/** What a record is called; null where there is none yet. */
export function originIn({ lastCheckpoint, lastBegun }: RecordReading): string | null {
  const last = lastCheckpoint.get();
  if (last !== undefined) return originOf(last.note);
  const begun = lastBegun.get();
  return begun === undefined ? null : (noticeIn(begun.notice).origin ?? null);
}

/** The key that the record announced last; its row may have been removed, and then another tells it. */
export function keyIn({ lastKey, lastPruned }: RecordReading, before = Number.MAX_SAFE_INTEGER): string | null {
  const row = lastKey.get(before) ?? lastPruned.get();
  return row === undefined ? null : (noticeIn(row.notice).key ?? null);
}

/** How many rows of all that there ever were have been removed, or are being. */
export function removedIn({ lastPruned }: RecordReading): number {
  const row = lastPruned.get();
  return row === undefined ? 0 : (noticeIn(row.notice).size ?? 0);
}

/** The clocks that a checkpoint is made by. */
export type SealingTime = Pick<ClockReading, "service" | "wall">;

/**
 * Adds a checkpoint over all rows, within a transaction of the caller's; says whether there was anything to sign. A key
 * that the record does not know is announced in it: `key` itself, or `next`, which then signs from the next one on. Those
 * that were made before the service's time was known are dated once it is.
 */
export function seal(
  record: RecordStatements,
  fold: Fold,
  key: RecordKey,
  { service, wall }: SealingTime,
  next = key,
): boolean {
  // A checkpoint's time never runs backwards, however clocks are set: what was removed for its age was that old.
  const made = service === null ? UNDATED : Math.max(service, record.lastDated.get()?.made ?? service);
  if (service !== null) record.dateCheckpoints.run({ made });
  const origin = originIn(record);
  const last = record.lastCheckpoint.get();
  if (origin === null || !isStillOf(record, fold)) return false;
  const announced = verifierKey(origin, next.publicKey);
  if (keyIn(record) !== announced) appendNotice(record, { type: "key", key: announced }, service ?? wall);
  let whole = fold;
  for (let more = foldMore(record, whole); more !== whole; more = foldMore(record, whole)) whole = more;
  const { frontier } = whole;
  if (frontier.size === (last?.size ?? 0)) return false;
  const text = checkpointText(origin, frontier.size, rootOf(frontier));
  const note = signedNote(text, origin, key.privateKey, key.publicKey);
  record.addCheckpoint.run({ size: frontier.size, made, note, frontier: toBytes(frontier) });
  return true;
}

/** The file can have been replaced by another while its rows were hashed. */
function isStillOf({ hashAt }: RecordStatements, { frontier, lastHash }: Fold): boolean {
  if (lastHash === null) return true;
  return hashAt.get(frontier.size - 1)?.hash.equals(lastHash) ?? false;
}

/**
 * A Merkle tree (RFC 6962, 2.1) that grows by its leaves and keeps only the roots of the perfect subtrees that it is made
 * of, largest first: as many as `size` has ones in binary.
 */
export interface Frontier {
  readonly size: number;
  readonly peaks: readonly Buffer[];
}

export const EMPTY: Frontier = { size: 0, peaks: [] };

const HASH_BYTES = 32;

/** The tree with one leaf more. */
export function withLeaf({ size, peaks }: Frontier, leaf: Buffer): Frontier {
  const kept = [...peaks];
  let peak = sha256(LEAF, leaf);
  // Each trailing one is a subtree as large as the one that is being made.
  for (let ones = size; ones % 2 === 1; ones = (ones - 1) / 2) peak = sha256(NODE, kept.pop() ?? peak, peak);
  return { size: size + 1, peaks: [...kept, peak] };
}

/** The root of the tree. */
export function rootOf({ peaks }: Frontier): Buffer {
  const last = peaks.at(-1);
  return last === undefined ? sha256() : peaks.slice(0, -1).reduceRight((root, peak) => sha256(NODE, peak, root), last);
}

/** The subtrees' roots one after the other, as they are kept with a checkpoint. */
export function toBytes({ peaks }: Frontier): Buffer {
  return Buffer.concat(peaks);
}

export function fromBytes(size: number, bytes: Buffer): Frontier {
  const count = bytes.length / HASH_BYTES;
  return {
    size,
    peaks: Array.from({ length: count }, (_, index) => bytes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES)),
  };
}

const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

function sha256(...parts: readonly Buffer[]): Buffer {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}
