import { statSync } from "node:fs";
import { join } from "node:path";
import { Argument, Command, InvalidArgumentError, Option } from "commander";
import { pino } from "pino";
import { z } from "zod";
import type { Instant } from "../../core/spot.ts";
import { ExclusiveLock } from "../../player/exclusive-lock.ts";
import { ProofFile } from "../../player/proofs/proof-file.ts";
import { RecordArchive, type RecordFilter } from "../../player/record/record-archive.ts";
import { finishRotation, openRecordKey, rotateRecordKey, verifierKey } from "../../player/record/record-key.ts";
import { RecordStore } from "../../player/record/record-store.ts";
import { CommandFailure, exitCodes } from "../command-line.ts";
import {
  dataDirOf,
  eachOrFailure,
  type FolderFlags,
  folderOptions,
  orFailure,
  proofsPath,
  withArchive,
} from "../proofs/flags.ts";
import { count, plain, print, printJson, printLines, table, textFrom } from "../text.ts";
import { type Comparison, compare, readLedger } from "./compare.ts";
import { outsmartLines, readMapping } from "./outsmart.ts";
import { csvLines, jsonLines, playoutRows, writeOut } from "./record-lines.ts";
import type { Trust, Verdict } from "./verify/verifier.ts";
import { verifyExport, verifyStore } from "./verify/verify.ts";

/** `spotloop record`: what was on screen, as somebody else can verify it, read while the player runs. */
export function recordCommand(): Command {
  const command = new Command("record")
    .description(
      "the playout record of a player on this machine: export it, verify it, hold it against another's books",
    )
    .addHelpText("after", EXAMPLES);
  for (const sub of [exportCommand(), verifyCommand(), compareCommand(), keyCommand()])
    command.addCommand(sub.exitOverride());
  return command;
}

const EXAMPLES = `
Examples:
  spotloop record export --from 2026-01-31 --to 2026-02-01 --format jsonl --out january-31.jsonl
  spotloop record verify january-31.jsonl         anywhere, without the player
  spotloop record verify --data-dir /var/lib/spotloop
  spotloop record compare --proofs ledger.csv     what the network counted, against what was shown
`;

function exportCommand(): Command {
  const command = new Command("export").description("write the record, oldest first");
  for (const option of [...folderOptions(), ...filterOptions()]) command.addOption(option);
  return command
    .addOption(new Option("--format <format>", "of the lines").choices(["csv", "jsonl", "outsmart"]).default("csv"))
    .option("--mapping <file>", "which frames, orders and buyers screens and items are of, as outsmart asks for")
    .option("--out <file>", "where to (default: standard output)")
    .action(async (flags: ExportFlags) => {
      const path = proofsPath(flags);
      const archive = orFailure(path, () => new RecordArchive(path));
      try {
        await writeOut(eachOrFailure(path, exportLines(archive, flags)), flags.out);
      } finally {
        archive.close();
      }
    });
}

interface ExportFlags extends FolderFlags, FilterFlags {
  readonly format: "csv" | "jsonl" | "outsmart";
  readonly mapping?: string;
  readonly out?: string;
}

function exportLines(archive: RecordArchive, flags: ExportFlags): Iterable<string> {
  const filter = filterOf(flags);
  if (flags.format === "csv") return csvLines(archive, filter);
  if (flags.format === "jsonl") return jsonLines(archive, filter);
  if (flags.mapping !== undefined) return outsmartLines(archive, filter, readMapping(flags.mapping));
  const missing = "outsmart needs frames, orders and buyers, which no player knows: give them with --mapping";
  throw new CommandFailure(missing, exitCodes.usage);
}

interface VerifyFlags extends FolderFlags {
  readonly key?: string;
  readonly witnessed?: readonly string[];
  readonly json?: true;
}

function verifyCommand(): Command {
  const command = new Command("verify")
    .description("find what was changed, removed, added or replaced in a record; ends with 65 where anything was")
    .addArgument(new Argument("[file]", "a record that was exported as jsonl (default: that of the data folder)"));
  for (const option of folderOptions()) command.addOption(option);
  return command
    .option("--key <key>", "the record's key as somebody else knows it, as `spotloop record key` prints it")
    .option("--witnessed <file...>", "checkpoints that somebody else has kept")
    .option("--json", "print what was found as JSON")
    .action(async (file: string | undefined, flags: VerifyFlags) => {
      const trust = { key: flags.key ?? null, witnessed: (flags.witnessed ?? []).flatMap(notesIn) };
      const found = file === undefined ? verifiedStore(proofsPath(flags), trust) : await verifyExport(file, trust);
      const verdict = found ?? withoutRow(trust);
      if (flags.json) printJson(verdict);
      else print(...told(verdict).map(plain));
      if (verdict.findings.length > 0) throw new CommandFailure("", exitCodes.data);
    });
}

function verifiedStore(path: string, trust: Trust): Verdict | null {
  return orFailure(path, () => verifyStore(path, trust));
}

/** Of a record without a row: a finding to whoever has kept a checkpoint of one, or knows its key. */
function withoutRow({ key, witnessed }: Trust) {
  const none = "there is no row: all were removed, or it knows another record";
  return {
    ...{ origin: null, part: false, first: 0, last: -1, checkpoints: 0, signed: 0, keys: [] },
    findings: [
      ...(witnessed.length === 0 ? [] : [`the witness has kept checkpoints, and ${none}`]),
      ...(key === null ? [] : [`no checkpoint here is signed by ${key}`]),
    ],
  };
}

const LARGEST_NOTES_BYTES = 64 * 1024 * 1024;

/** Notes end with their signatures: what follows these is the next one. A file without any holds the record against nothing. */
function notesIn(path: string): string[] {
  const text = `${textFrom(path, path, LARGEST_NOTES_BYTES, exitCodes.failed).replaceAll("\r\n", "\n")}\n`;
  const notes = text.match(/[^\n]+\n\d+\n[^\n]+\n(?:[^\n]+\n)*\n(?:— [^\n]+\n)+/g) ?? [];
  if (notes.length === 0) throw new CommandFailure(`${path} holds no checkpoint`, exitCodes.data);
  return notes;
}

function told(verdict: Verdict | ReturnType<typeof withoutRow>): string[] {
  const { origin, part, first, last, checkpoints, signed, keys, findings } = verdict;
  if (origin === null) return ["The record has no row yet.", ...findings.map((finding) => `- ${finding}`)];
  const what = last < first ? "no rows" : `rows ${first} to ${last}`;
  const heading = `${origin}: ${what}${part ? ", a part of it" : ""}, ${count(checkpoints, "checkpoint")}`;
  const by = keys.map((key) => `Signed by ${key}`);
  if (findings.length > 0) return [heading, ...by, "", ...findings.map((finding) => `- ${finding}`)];
  const covered = Math.max(signed, first) - 1;
  const good = covered < first ? [] : [`Nothing up to row ${covered} was changed, removed, added or replaced.`];
  const rest = covered < last ? [`Not signed, and so not proved: ${count(last - covered, "row")} at the end.`] : [];
  return [heading, ...by, ...good, ...rest];
}

interface CompareFlags extends FolderFlags, FilterFlags {
  readonly proofs: string;
  readonly json?: true;
}

function compareCommand(): Command {
  const command = new Command("compare").description(
    "hold the record against the network's own books; ends with 1 where they differ",
  );
  for (const option of [...folderOptions(), ...filterOptions()]) command.addOption(option);
  return command
    .requiredOption("--proofs <ledger>", "what the network has counted, as CSV or as the emulator's JSON")
    .option("--json", "print what differs as JSON")
    .action(async (flags: CompareFlags) => {
      const ledger = await readLedger(flags.proofs);
      const path = proofsPath(flags);
      const comparison = withArchive(path, RecordArchive, (archive) =>
        compare(playoutRows(archive, ANY), ledger, filterOf(flags)),
      );
      if (flags.json) printJson(comparison);
      else printLines(comparisonLines(comparison));
      if (comparison.missing + comparison.extra + comparison.differing > 0) throw new CommandFailure("");
    });
}

const ANY = { from: null, until: null, screenId: null };

function comparisonLines({ agreed, missing, extra, differing, older, differences }: Comparison): string[] {
  const sums = `${agreed} agree, ${missing} missing, ${extra} extra, ${differing} differing`;
  const before = older === 0 ? [] : [`${older} were counted before the record begins.`];
  if (differences.length === 0) return [sums, ...before];
  const heading = ["finding", "kind", "item", "shown (UTC)", "counted (UTC)", "request", "why"];
  const rows = differences.map(({ finding, kind, itemId, endedAt, countedAt, requestId, why }) =>
    [finding, kind, itemId ?? "", shortTime(endedAt), shortTime(countedAt), requestId, why].map(plain),
  );
  return [sums, ...before, "", ...table([heading, ...rows])];
}

function shortTime(iso: string | null): string {
  return iso === null ? "" : iso.slice(0, 19).replace("T", " ");
}

function keyCommand(): Command {
  const command = new Command("key").description("print the key by which the record can be verified; no secret");
  for (const option of folderOptions()) command.addOption(option);
  return command
    .option("--rotate", "make a new one, for which the old one signs; the player must be stopped")
    .action((flags: FolderFlags & { rotate?: true }) => {
      const dataDir = dataDirOf(flags);
      print(flags.rotate ? rotate(dataDir) : announcedKey(dataDir));
    });
}

/** Which part of a record is meant, as it is typed. */
interface FilterFlags {
  readonly from?: Instant;
  readonly to?: Instant;
  readonly screen?: string;
}

const filterOptions = () => [
  new Option("--from <time>", "only what ended then or later: a day or a time, UTC").argParser(instant),
  new Option("--to <time>", "only what ended before").argParser(instant),
  new Option("--screen <id>", "only of one of several screens"),
];

function filterOf({ from, to, screen }: FilterFlags): RecordFilter {
  return { from: from ?? null, until: to ?? null, screenId: screen ?? null };
}

/** `2026-01-31`, `2026-01-31T18:00Z` or with the offset of a zone. */
const instantSchema = z
  .union([z.iso.date(), z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })])
  .transform((text) => Date.parse(text));

function instant(text: string): Instant {
  const read = instantSchema.safeParse(text);
  if (read.success) return read.data;
  throw new InvalidArgumentError("must be a day or a time, such as 2026-01-31 or 2026-01-31T18:00Z.");
}

/** The key that the record of a data folder announced last, as `name+id+key`. */
function announcedKey(dataDir: string): string {
  const key = withArchive(join(dataDir, "proofs.db"), RecordArchive, (archive) => archive.key());
  if (key === null) throw new CommandFailure("the record has no key yet: it gets one with its first checkpoint");
  return key;
}

/** Puts a new key in place of the old one, which signs for it; returns it. Nobody else may write the record meanwhile. */
export function rotate(dataDir: string): string {
  refuseOther(dataDir);
  // Says what is wrong with a folder in which there is nothing to rotate.
  announcedKey(dataDir);
  const locked = join(dataDir, "sender.lock");
  const lock = new ExclusiveLock(locked);
  if (!orFailure(locked, () => lock.take()))
    throw new CommandFailure("a player runs on this data folder: stop it first");
  const path = join(dataDir, "proofs.db");
  const file = orFailure(path, () => ProofFile.open({ path, log: pino({ level: "silent" }) }));
  try {
    return rotated(dataDir, new RecordStore(file));
  } finally {
    file.close();
    lock.release();
  }
}

function rotated(dataDir: string, store: RecordStore): string {
  const { origin, key: announced } = store.identity();
  if (origin === null) throw new CommandFailure("the record has no row yet");
  finishRotation(dataDir, origin, announced);
  const opening = openRecordKey(dataDir);
  if (opening.kind === "unusable") throw new CommandFailure(opening.problem);
  const next = rotateRecordKey(dataDir, (key) => {
    // Of the service's time a command knows nothing.
    store.seal(store.fold(), opening.key, { service: null, wall: Date.now() }, key);
  });
  return verifierKey(origin, next.publicKey);
}

/** A key that belongs to root is one that the player cannot read. */
function refuseOther(dataDir: string): void {
  const owner = statSync(dataDir, { throwIfNoEntry: false })?.uid;
  const user = process.getuid?.();
  if (owner === undefined || user === undefined || owner === user) return;
  throw new CommandFailure("the data folder is another user's: run this as the user that the player runs as");
}
