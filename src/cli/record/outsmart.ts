import { z } from "zod";
import type { RecordArchive, RecordFilter } from "../../player/record/record-archive.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import { plain, textFrom } from "../text.ts";
import { type ExportedRow, playoutRows } from "./record-lines.ts";

/**
 * The ads that were shown in full, as Outsmart's Playout takes them: its "Playout Digital File Format" 1.7, one line for a
 * playout, without a heading (github.com/Outsmart-OOH/PlayoutReportingStandard). Ends the command where the mapping lacks
 * something.
 */
export function outsmartLines(
  archive: RecordArchive,
  filter: RecordFilter,
  mapping: OutsmartMapping,
): Iterable<string> {
  // All of it before the first line: a file that is there is a whole one.
  checkMapping(shownAds(archive, filter), mapping);
  return linesOf(shownAds(archive, filter), mapping);
}

type ShownRow = Extract<ExportedRow, { readonly type: "playout" }>;

function* shownAds(archive: RecordArchive, filter: RecordFilter): Generator<ShownRow> {
  for (const row of playoutRows(archive, filter)) {
    if (row.type === "playout" && row.kind === "ad" && row.outcome === "shown") yield row;
  }
}

function* linesOf(rows: Iterable<ShownRow>, mapping: OutsmartMapping): Generator<string> {
  for (const row of rows) yield outsmartLine(row, mapping);
}

/** The field "mediaownerplayoutref" takes so many characters: of a row's hash enough to name it across all time. */
const REFERENCE_LENGTH = 48;
const LONGEST_PLAYER = 36;

function outsmartLine(row: ShownRow, { frames, items }: OutsmartMapping): string {
  const order = items[row.itemId];
  const startedAt = row.startedAt ?? row.endedAt;
  const fields = [
    frames[row.screenId],
    ...[utc(startedAt), "Z", utc(row.endedAt), "Z", Date.parse(row.endedAt) - Date.parse(startedAt)],
    // Share of time: only of scrollers.
    undefined,
    ...[order?.orderid, order?.lineid, order?.spacebuyerid, order?.spaceagencyid, order?.spacebrandid],
    order?.buyercampaignref,
    order?.creativeid ?? row.itemId.slice(0, 64),
    (order?.creativename ?? row.title ?? row.itemId).slice(0, 128),
    order?.thirdpartycreativeref,
    // What triggered it: nobody tells the player.
    undefined,
    row.screenId.slice(0, LONGEST_PLAYER),
    row.hash.slice(0, REFERENCE_LENGTH),
  ];
  return `${fields.map(cell).join()}\n`;
}

/** `yyyy-mm-ddThh:mm:ss.sss`. */
function utc(iso: string): string {
  return iso.slice(0, -1);
}

/** No field may have a line break, or space at its ends. */
function cell(value: string | number | undefined): string {
  const text = String(value ?? "")
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  return /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const text = (longest: number) => z.string().trim().min(1).max(longest);
const id = z.int().nonnegative().max(2_147_483_647);

/**
 * What the standard asks for and no player can know: which frame of SPACE a screen is, and which order and brand an item
 * belongs to. Fields are called as in the standard.
 */
const mappingSchema = z.strictObject({
  frames: z.record(z.string(), z.string().regex(/^\d{10}$/, "must be a SPACE frame id, ten digits")),
  items: z.record(
    z.string(),
    z.strictObject({
      orderid: text(256),
      lineid: text(36).optional(),
      spacebuyerid: id,
      spaceagencyid: id.optional(),
      spacebrandid: id,
      buyercampaignref: text(64).optional(),
      creativeid: text(64).optional(),
      creativename: text(128).optional(),
      thirdpartycreativeref: text(128).optional(),
    }),
  ),
});

/** By screen id, and by item id. */
export type OutsmartMapping = z.infer<typeof mappingSchema>;

/** How many missing fields are named: enough to see what is wrong. */
const MOST_NAMED = 20;

const LARGEST_MAPPING_BYTES = 64 * 1024 * 1024;

export function readMapping(path: string): OutsmartMapping {
  const text = textFrom(path, path, LARGEST_MAPPING_BYTES, exitCodes.failed);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CommandFailure(`${path} cannot be read as JSON: ${error instanceof Error ? error.message : error}`);
  }
  const read = mappingSchema.safeParse(value);
  if (read.success) return read.data;
  const problems = read.error.issues.map(({ path: at, message }) => `  ${at.join(".")}: ${message}`);
  throw new CommandFailure([`${path} is no mapping:`, ...problems].join("\n"), exitCodes.data);
}

/** Ends the command where the mapping lacks a screen or an item that was shown: nothing is ever made up. */
function checkMapping(rows: Iterable<ExportedRow>, mapping: OutsmartMapping): void {
  const missing = new Set<string>();
  for (const row of rows) {
    if (row.type !== "playout") continue;
    if (!Object.hasOwn(mapping.frames, row.screenId)) missing.add(`frames has no screen ${row.screenId}`);
    if (!Object.hasOwn(mapping.items, row.itemId))
      missing.add(`items has no ${row.itemId} (${row.title ?? "untitled"})`);
    if (missing.size >= MOST_NAMED) break;
  }
  if (missing.size === 0) return;
  const lines = [...missing].map((one) => `  ${plain(one)}`);
  throw new CommandFailure(
    ["the mapping does not say whose playouts these were:", ...lines].join("\n"),
    exitCodes.data,
  );
}
