import { createReadStream } from "node:fs";
import { RecordArchive } from "../../../player/record/record-archive.ts";
import { codeOf } from "../../../player/stores/database.ts";
import { CommandFailure, exitCodes } from "../../command-line.ts";
import { readLine } from "../export-format.ts";
import { recordLines } from "../record-lines.ts";
import { type Trust, type Verdict, Verifier } from "./verifier.ts";

/** Far longer than any line of a record. */
const LONGEST_LINE = 64 * 1024;

/** Verifies a record that was exported as JSON lines, however long it is. */
export async function verifyExport(path: string, trust: Trust): Promise<Verdict> {
  let verifier: Verifier | null = null;
  let number = 0;
  for await (const text of linesOf(path)) {
    number++;
    if (text.trim() === "") continue;
    const line = readLine(parsed(text, path, number));
    if (line === null) throw noRecord(path, `line ${number} is neither a row nor a checkpoint`);
    if (verifier !== null) verifier.take(line);
    else if (line.kind === "header") verifier = new Verifier(line.header, trust);
    else throw noRecord(path, "its first line is not that of a record exported as jsonl");
  }
  if (verifier === null) throw noRecord(path, "it is empty");
  return verifier.end();
}

/** A shell may have written it in UTF-16, with a byte order mark, or with an empty line at its end. */
async function* linesOf(path: string): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | null = null;
  let rest = "";
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      decoder ??= new TextDecoder(encodingOf(chunk));
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > LONGEST_LINE) throw noRecord(path, "it has a line that is too long");
      yield* lines;
    }
  } catch (error) {
    if (error instanceof CommandFailure || !(error instanceof Error && "code" in error)) throw error;
    throw new CommandFailure(`${path} cannot be read (${error.code})`);
  }
  yield rest;
}

function encodingOf(beginning: Buffer): string {
  return { fffe: "utf-16le", feff: "utf-16be" }[beginning.toString("hex", 0, 2)] ?? "utf-8";
}

function parsed(text: string, path: string, number: number): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const how = number === 1 ? "; export the record with --format jsonl" : "";
    throw noRecord(path, `line ${number} is not JSON${how}`);
  }
}

function noRecord(path: string, why: string): CommandFailure {
  return new CommandFailure(`${path} cannot be verified: ${why}`, exitCodes.data);
}

const EVERYTHING = { from: null, until: null, screenId: null };

/** Verifies the record in a file of proofs, which a player may be writing; null where there is no row yet. Throws what
 * keeps the file from being opened. */
export function verifyStore(path: string, trust: Trust): Verdict | null {
  const archive = new RecordArchive(path);
  let verifier: Verifier | null = null;
  try {
    for (const line of recordLines(archive, EVERYTHING)) {
      if (line.kind === "header") verifier = new Verifier(line.header, trust);
      else verifier?.take(line);
    }
    return verifier?.end() ?? null;
  } catch (error) {
    const code = codeOf(error);
    if (code === null || verifier === null) throw error;
    const verdict = verifier.end();
    const broken = `after row ${verdict.last} the file cannot be read (${code})`;
    return { ...verdict, findings: [...verdict.findings, broken] };
  } finally {
    archive.close();
  }
}
