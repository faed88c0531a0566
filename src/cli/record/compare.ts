import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { parse } from "csv-parse";
import { z } from "zod";
import { PROOF_WINDOW_MS } from "../../core/proofs/proof.ts";
import type { Instant, ItemKind } from "../../core/spot.ts";
import type { RecordFilter } from "../../player/record/record-archive.ts";
import { textIn } from "../../player/small-file.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { layoutOf, textFrom } from "../text.ts";
import type { ExportedRow } from "./record-lines.ts";

/** Where the record and the network's books do not say the same. */
export interface Difference {
  /** `missing`: shown, and not counted. `extra`: counted, and not shown. `differing`: both, and not alike. */
  readonly finding: "missing" | "extra" | "differing";
  readonly requestId: string;
  readonly kind: string;
  readonly screenId: string | null;
  readonly itemId: string | null;
  /** When it had been shown, as the record says. */
  readonly endedAt: string | null;
  /** When it was counted, as the network says. */
  readonly countedAt: string | null;
  readonly why: string;
}

/** A proof that the network has counted, as far as its books tell. */
export interface CountedProof {
  readonly requestId: string;
  readonly kind: ItemKind;
  readonly screenId: string | null;
  readonly itemId: string | null;
  readonly at: Instant | null;
}

/** The network's own books. */
export interface Ledger {
  /** By `keyOf`. */
  readonly proofs: Map<string, CountedProof>;
  /** What they have counted before. */
  readonly repeated: CountedProof[];
}

export interface Comparison {
  /** Playouts that both know, and that are alike. */
  readonly agreed: number;
  readonly missing: number;
  readonly extra: number;
  readonly differing: number;
  /** Counted before the record begins: nothing can be said of them. */
  readonly older: number;
  /** At most `MOST_DIFFERENCES`. */
  readonly differences: readonly Difference[];
}

/** Who reads more has another question. */
const MOST_DIFFERENCES = 10_000;

/** The service tells its time in whole seconds, and each answer is on its way for a while. */
const CLOCKS_MS = 2_000;

/**
 * Holds the record's rows, all of them, against the network's books. The filter says of which playouts differences are
 * wanted; what the network counted at a time that is not known is always among them.
 */
export function compare(rows: Iterable<ExportedRow>, ledger: Ledger, filter: RecordFilter): Comparison {
  const sums = { agreed: 0, missing: 0, extra: 0, differing: 0, older: 0 };
  const differences: Difference[] = [];
  const add = (difference: Difference) => {
    sums[difference.finding]++;
    if (differences.length < MOST_DIFFERENCES) differences.push(difference);
  };
  const left = new Map(ledger.proofs);
  let begins: Instant = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (row.type !== "playout") continue;
    // A machine whose clock was not told the time yet may have begun in 1970.
    if (row.clockOffsetMs !== null) begins = Math.min(begins, Date.parse(row.endedAt));
    const key = keyOf(row);
    const counted = left.get(key) ?? null;
    left.delete(key);
    if (!isWanted(Date.parse(row.endedAt), row.screenId, filter)) continue;
    const difference = differenceOf(row, counted);
    if (difference !== null) add(difference);
    else if (counted !== null) sums.agreed++;
  }
  for (const counted of left.values()) {
    if (counted.at !== null && counted.at < begins) sums.older++;
    else if (isWanted(counted.at, counted.screenId, filter)) add(extra(counted, "not in the record"));
  }
  for (const counted of ledger.repeated) {
    if (isWanted(counted.at, counted.screenId, filter)) add(extra(counted, "counted more than once"));
  }
  return { ...sums, differences };
}

type PlayoutRow = Extract<ExportedRow, { readonly type: "playout" }>;

function differenceOf(row: PlayoutRow, counted: CountedProof | null): Difference | null {
  const { requestId, kind, screenId, itemId, endedAt, reason } = row;
  const told = { requestId, kind, screenId, itemId, endedAt, countedAt: iso(counted?.at ?? null) };
  if (row.outcome === "failed") {
    return counted === null ? null : { finding: "extra", ...told, why: `failed on this screen: ${reason}` };
  }
  if (counted === null) return { finding: "missing", ...told, why: "shown in full, and not in the ledger" };
  const why = unlike(row, counted);
  return why === null ? null : { finding: "differing", ...told, why };
}

function unlike(row: PlayoutRow, { screenId, itemId, at }: CountedProof): string | null {
  if (screenId !== null && screenId !== row.screenId) return `the ledger says screen ${screenId}`;
  if (itemId !== null && itemId !== row.itemId) return `the ledger says item ${itemId}`;
  if (at === null) return null;
  const afterMs = at - Date.parse(row.endedAt);
  if (afterMs < -CLOCKS_MS) return `counted ${-afterMs} ms before it had been shown`;
  return afterMs > PROOF_WINDOW_MS + CLOCKS_MS ? `counted ${afterMs} ms after it had been shown` : null;
}

function extra({ requestId, kind, screenId, itemId, at }: CountedProof, why: string): Difference {
  return { finding: "extra", requestId, kind, screenId, itemId, endedAt: null, countedAt: iso(at), why };
}

function isWanted(at: Instant | null, screen: string | null, { from, until, screenId }: RecordFilter): boolean {
  if (screenId !== null && screen !== null && screen !== screenId) return false;
  return at === null || ((from === null || at >= from) && (until === null || at < until));
}

function iso(at: Instant | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** A year of a busy screen; more is compared in parts. */
const MOST_PROOFS = 2_000_000;

function keyOf({ requestId, kind }: { readonly requestId: string; readonly kind: string }): string {
  return `${kind} ${requestId}`;
}

/**
 * The network's own books: CSV with the columns `requestId` and `kind`, and where there are any `screenId`, `itemId` and
 * `countedAt`; or the JSON that the emulator tells at `/control/spots`.
 */
export async function readLedger(path: string): Promise<Ledger> {
  const ledger: Ledger = { proofs: new Map(), repeated: [] };
  const { proofs, repeated } = ledger;
  try {
    for await (const proof of path.endsWith(".json") ? spotsIn(path) : rowsIn(path)) {
      if (proofs.size + repeated.length >= MOST_PROOFS) throw unusable(path, `it has more than ${MOST_PROOFS} proofs`);
      if (proofs.has(keyOf(proof))) repeated.push(proof);
      else proofs.set(keyOf(proof), proof);
    }
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw unusable(path, error instanceof Error ? error.message : String(error));
  }
  return ledger;
}

const kind = z.enum(["news", "ad"]);
const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));
/** In CSV a blank may stand for the T, as databases write it; an empty cell says nothing. */
const cell = z.preprocess(
  (value) => (value === "" ? null : String(value).trim().replace(" ", "T")),
  instant.nullable(),
);

const rowSchema = z.object({
  requestid: z.string().min(1),
  kind,
  screenid: z.string().min(1).nullish().catch(null),
  itemid: z.string().min(1).nullish().catch(null),
  countedat: cell.optional(),
});

/** Spreadsheets leave out the last cells of a row where they are empty, and write rows without any. */
const LAYOUT = { bom: true, relax_column_count_less: true, skip_records_with_empty_values: true, trim: true };

/** Columns are known by their letters alone: `request_id` is `requestId`. A pipe can be read only once. */
async function* rowsIn(path: string): AsyncGenerator<CountedProof> {
  let named: readonly string[] = [];
  const columns = (names: string[]) => {
    named = names.map((name) => name.toLowerCase().replace(/[^a-z]/g, ""));
    return [...named];
  };
  const chunks = createReadStream(path)[Symbol.asyncIterator]();
  const beginning = await beginningOf(chunks);
  const { separator, fromLine } = layoutOf(textIn(beginning.subarray(0, LONGEST_HEADING)));
  const rows = Readable.from(joined(beginning, chunks)).on("error", (error) => parser.destroy(error));
  const parser = parse({ ...LAYOUT, columns, delimiter: separator, from_line: fromLine });
  let number = 1;
  for await (const value of rows.pipe(parser)) {
    number++;
    const row = rowSchema.safeParse(value);
    if (!row.success) throw unusable(path, `row ${number} ${flawOf(row.error)}`);
    const { requestid, screenid, itemid, countedat } = row.data;
    yield {
      ...{ requestId: requestid, kind: row.data.kind },
      ...{ screenId: screenid ?? null, itemId: itemid ?? null, at: countedat ?? null },
    };
  }
  // An export that failed leaves no heading either: that the network counted nothing is said by a heading alone.
  if (!named.includes("requestid") || !named.includes("kind")) {
    throw unusable(path, "it has no columns requestId and kind");
  }
}

function flawOf({ issues }: z.ZodError): string {
  const isTime = issues.every(({ path: [column] }) => column === "countedat");
  return isTime
    ? "has a countedAt that is not as in 2026-01-31T20:15:00Z"
    : "has no requestId, or no kind that is news or ad";
}

/** So much that the heading is in it, unless that is longer than any. */
async function beginningOf(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let beginning = Buffer.alloc(0);
  while (beginning.length < LONGEST_HEADING && !beginning.includes("\n")) {
    const next = await chunks.next();
    if (next.done) break;
    beginning = Buffer.concat([beginning, next.value]);
  }
  return beginning;
}

async function* joined(beginning: Buffer, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield beginning;
  yield* chunks;
}

const LONGEST_HEADING = 16 * 1024;

const itemSchema = z
  .object({ id: z.string(), pops: z.array(z.object({ at: instant, status: z.number(), verdict: z.string() })) })
  .nullable();
const spotsSchema = z.array(
  z.object({ requestId: z.string(), screen_id: z.string(), news: itemSchema, ad: itemSchema }),
);

/** Of a ledger in JSON, which is held whole. */
const LARGEST_LEDGER_BYTES = 256 * 1024 * 1024;

function* spotsIn(path: string): Generator<CountedProof> {
  const read = spotsSchema.safeParse(JSON.parse(textFrom(path, path, LARGEST_LEDGER_BYTES)));
  // Of a ledger that is made otherwise each spot has a few flaws: the first one tells.
  if (!read.success) throw unusable(path, firstFlawOf(read.error));
  for (const spot of read.data) {
    for (const kind of ["news", "ad"] as const) {
      const item = spot[kind];
      // One that came too early and was accepted all the same counts.
      const pop = item?.pops.find(
        ({ verdict, status }) => verdict === "counted" || (verdict === "early" && status === 200),
      );
      if (item === null || pop === undefined) continue;
      yield { requestId: spot.requestId, kind, screenId: spot.screen_id, itemId: item.id, at: pop.at };
    }
  }
}

function firstFlawOf({ issues: [first] }: z.ZodError): string {
  return [first?.path.join("."), first?.message].filter(Boolean).join(": ");
}

function unusable(path: string, why: string): CommandFailure {
  return new CommandFailure(`${path} cannot be used as a ledger: ${why}`, exitCodes.data);
}
