import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream, realpathSync, rmSync, statSync } from "node:fs";
import { finished } from "node:stream/promises";
import type { RecordArchive, RecordFilter, RowSpan } from "../../player/record/record-archive.ts";
import { listed, type RecordRow, type StoredRow } from "../../player/record/record-row.ts";
import type { StoredCheckpoint } from "../../player/record/record-sql.ts";
import { replaceFile } from "../../player/small-file.ts";
import { CommandFailure, untilInterrupted } from "../command-line.ts";
import { csvLine, writeLines, writeOutput } from "../text.ts";
import { type ExportHeader, type ExportLine, lineText } from "./export-format.ts";

/** A row as it is exported. */
export type ExportedRow = RecordRow & { readonly hash: string };

const HASH_BYTES = 32;

/**
 * The record as lines that can be verified without it: all of it, or what a filter lets through. Of the rows around that,
 * as far as the checkpoints next to it, and of other screens' rows in between, only the hashes are told.
 */
export function* recordLines(archive: RecordArchive, filter: RecordFilter): Generator<ExportLine> {
  const extent = archive.extent();
  const origin = archive.origin();
  if (extent === null || origin === null) return;
  const start = Math.max(extent.span.first, extent.removed);
  const whole: RowSpan = { first: start, last: extent.span.last };
  const isWhole = filter.from === null && filter.until === null && filter.screenId === null;
  const span = isWhole ? whole : around(archive, filter, whole);
  if (span === null) return;
  yield { kind: "header", header: headerOf(archive, origin, span.first, !isWhole) };
  const checkpoints = archive.checkpointsAfter(span.first);
  let checkpoint = checkpoints.next();
  for (const row of archive.rows(span)) {
    while (!checkpoint.done && checkpoint.value.size <= row.sequence) {
      yield { kind: "checkpoint", note: checkpoint.value.note };
      checkpoint = checkpoints.next();
    }
    yield isToldOf(row, filter)
      ? { kind: "row", row: { ...exported(row) } }
      : { kind: "stub", row: { sequence: row.sequence, hash: row.hash.toString("hex") } };
  }
  // Of a whole record all are told: one over more rows than there are is evidence that some are missing.
  for (; !checkpoint.done && (isWhole || checkpoint.value.size <= span.last + 1); checkpoint = checkpoints.next()) {
    yield { kind: "checkpoint", note: checkpoint.value.note };
  }
}

/** The rows of playouts that a filter lets through. */
export function* playoutRows(archive: RecordArchive, filter: RecordFilter): Generator<ExportedRow> {
  const span = archive.spanOf(filter);
  if (span === null) return;
  for (const row of archive.rows(span)) if (row.type === "playout" && isWanted(row, filter)) yield exported(row);
}

function around(archive: RecordArchive, filter: RecordFilter, whole: RowSpan): RowSpan | null {
  const span = archive.spanOf(filter);
  if (span === null) return null;
  const { before } = archive.checkpointsAround(span.first);
  const { after } = archive.checkpointsAround(span.last);
  return {
    first: Math.max(before ?? whole.first, whole.first),
    last: after === null ? whole.last : Math.min(after - 1, whole.last),
  };
}

function headerOf(archive: RecordArchive, origin: string, first: number, part: boolean): ExportHeader {
  const checkpoint = first === 0 ? null : archive.checkpointAt(first);
  const base = { size: first, frontier: peaksOf(checkpoint), note: checkpoint?.note ?? null };
  return { record: "spotloop/1", origin, part, base, key: first === 0 ? null : archive.key(first) };
}

function peaksOf(checkpoint: StoredCheckpoint | null): string[] {
  const bytes = checkpoint?.frontier ?? Buffer.alloc(0);
  const starts = Array.from({ length: bytes.length / HASH_BYTES }, (_, index) => index * HASH_BYTES);
  return starts.map((start) => bytes.subarray(start, start + HASH_BYTES).toString("base64"));
}

/** What happened to the record itself is always told: keys and removals among it. */
function isToldOf(row: StoredRow, filter: RecordFilter): boolean {
  return row.type !== "playout" || isWanted(row, filter);
}

function isWanted({ ended, screenId }: StoredRow, filter: RecordFilter): boolean {
  if (filter.screenId !== null && screenId !== filter.screenId) return false;
  return (filter.from === null || ended >= filter.from) && (filter.until === null || ended < filter.until);
}

function exported(row: StoredRow): ExportedRow {
  return { ...listed(row), hash: row.hash.toString("hex") };
}

/** The columns of a table, in their order. */
const COLUMNS = [
  ...["sequence", "screenId", "requestId", "itemId", "kind", "title", "digest", "startedAt", "endedAt"],
  ...["clockOffsetMs", "bootId", "startedMonotonicMs", "endedMonotonicMs", "durationMs", "firstFrameAgeMs"],
  ...["outcome", "reason", "display", "popHash", "version", "previous", "hash"],
] as const;

/** All rows as JSON lines, with what it takes to verify them. */
export function* jsonLines(archive: RecordArchive, filter: RecordFilter): Generator<string> {
  for (const line of recordLines(archive, filter)) yield lineText(line);
}

/** The rows of playouts as a table with a heading. */
export function* csvLines(archive: RecordArchive, filter: RecordFilter): Generator<string> {
  yield csvLine(COLUMNS);
  for (const row of playoutRows(archive, filter)) yield csvLine(COLUMNS.map((column) => cell(row, column)));
}

/** Writes lines to a file, whole or not at all, or to standard output where there is none or `-`. */
export async function writeOut(lines: Iterable<string>, path: string | undefined): Promise<void> {
  if (path === undefined || path === "-") return writeOutput(lines);
  try {
    const target = wholeTarget(path);
    if (target === null) return await writeTo(path, lines);
    await untilInterrupted((stop) => writeWhole(target, takenUntil(stop, lines)));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new CommandFailure(`${path} cannot be written (${error.code})`);
  }
}

/** Whatever else is being written to the same place. */
async function writeWhole(target: string, lines: Iterable<string>): Promise<void> {
  const unfinished = `${target}.${randomBytes(4).toString("hex")}.part`;
  await writeTo(unfinished, lines).catch((error) => {
    rmSync(unfinished, { force: true });
    throw error;
  });
  replaceFile(unfinished, target);
}

function* takenUntil<T>(stop: AbortSignal, values: Iterable<T>): Generator<T> {
  for (const value of values) {
    stop.throwIfAborted();
    yield value;
  }
}

/** Where a whole file is to be; null for a device or a pipe, into which can only be written. */
function wholeTarget(path: string): string | null {
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined) return path;
  return there.isFile() ? realpathSync(path) : null;
}

async function writeTo(path: string, lines: Iterable<string>): Promise<void> {
  const file = createWriteStream(path);
  await once(file, "open");
  await writeLines(lines, file);
  file.end();
  await finished(file);
}

function cell(row: ExportedRow, column: string): string | number | null {
  const value: unknown = Reflect.get(row, column);
  return typeof value === "string" || typeof value === "number" ? value : null;
}
