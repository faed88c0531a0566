import { createHash, createPublicKey, verify } from "node:crypto";
import { z } from "zod";

/** A SHA-256 in hexadecimal. */
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const sequence = z.int().nonnegative();

const headerSchema = z.object({
  record: z.literal("spotloop/1"),
  /** The record's name, as in its checkpoints. */
  origin: z.string(),
  /** Where it is not the whole record, but enough of it to verify what was asked for. */
  part: z.boolean(),
  /** The tree over all rows before the first line: the roots of its perfect subtrees, largest first, in base64. */
  base: z.object({ size: sequence, frontier: z.array(z.base64()).max(64), note: z.string().nullable() }),
  /** Who signs what follows, as `name+id+key`; null where the record says so itself. */
  key: z.string().nullable(),
});

/** Whatever a row's fields are, the hash is over all the others. */
const rowSchema = z.looseObject({ sequence, previous: hash, hash, type: z.string() });
/** A row of which nothing is told: it was not asked for, and only links those that were. */
const stubSchema = z.strictObject({ sequence, hash });
/** A signed note over all rows before it. */
const checkpointSchema = z.strictObject({ checkpoint: z.string().max(16_384) });

export type ExportHeader = z.infer<typeof headerSchema>;
export type ExportRow = z.infer<typeof rowSchema>;
export type ExportStub = z.infer<typeof stubSchema>;

/** One line of a record that is exported as JSON lines; the header is the first. */
export type ExportLine =
  | { readonly kind: "header"; readonly header: ExportHeader }
  | { readonly kind: "row"; readonly row: ExportRow }
  | { readonly kind: "stub"; readonly row: ExportStub }
  | { readonly kind: "checkpoint"; readonly note: string };

export function lineText(line: ExportLine): string {
  switch (line.kind) {
    case "header":
      return `${JSON.stringify(line.header)}\n`;
    case "row":
    case "stub":
      return `${JSON.stringify(line.row)}\n`;
    case "checkpoint":
      return `${JSON.stringify({ checkpoint: line.note })}\n`;
  }
}

/** What a line says; null where it is none of a record's. */
export function readLine(value: unknown): ExportLine | null {
  const row = rowSchema.safeParse(value);
  if (row.success) return { kind: "row", row: row.data };
  const stub = stubSchema.safeParse(value);
  if (stub.success) return { kind: "stub", row: stub.data };
  const checkpoint = checkpointSchema.safeParse(value);
  if (checkpoint.success) return { kind: "checkpoint", note: checkpoint.data.checkpoint };
  const header = headerSchema.safeParse(value);
  return header.success ? { kind: "header", header: header.data } : null;
}

/** A checkpoint as it was read off its note. */
export interface CheckpointNote {
  readonly origin: string;
  readonly size: number;
  readonly root: Buffer;
  /** What is signed. */
  readonly text: string;
  readonly signatures: readonly { readonly name: string; readonly keyId: string; readonly signature: Buffer }[];
}

/** A public key, by which a note is verified. */
interface VerifierKey {
  readonly written: string;
  readonly name: string;
  readonly keyId: string;
  readonly publicKey: Buffer;
}

/** More signatures than any witness network adds. */
const MOST_SIGNATURES = 64;

/** Reads a checkpoint (c2sp.org/tlog-checkpoint); null where it is none. */
export function readCheckpoint(note: string): CheckpointNote | null {
  const split = note.lastIndexOf("\n\n");
  if (split < 0 || !note.endsWith("\n")) return null;
  const text = note.slice(0, split + 1);
  const [origin = "", size = "", root = ""] = text.split("\n");
  if (origin === "" || !/^(0|[1-9]\d{0,14})$/.test(size) || !/^[\w+/]{43}=$/.test(root)) return null;
  const lines = note.slice(split + 2, -1).split("\n");
  const signatures = lines.slice(0, MOST_SIGNATURES).map((line) => /^— (\S+) ([\w+/]+=*)$/.exec(line));
  const read = signatures.map((match) => {
    const bytes = Buffer.from(match?.[2] ?? "", "base64");
    return { name: match?.[1] ?? "", keyId: bytes.subarray(0, 4).toString("hex"), signature: bytes.subarray(4) };
  });
  return { origin, size: Number(size), root: Buffer.from(root, "base64"), text, signatures: read };
}

/** Reads a key written as `name+id+key` (c2sp.org/signed-note); null where it is none, or of another kind than Ed25519. */
function readVerifierKey(written: string): VerifierKey | null {
  const [, name = "", keyId = "", encoded = ""] = /^([^\s+]+)\+([0-9a-f]{8})\+([\w+/]+=*)$/.exec(written) ?? [];
  const bytes = Buffer.from(encoded, "base64");
  if (name === "" || bytes.length !== 33 || bytes[0] !== ED25519) return null;
  const expected = createHash("sha256")
    .update(Buffer.concat([Buffer.from(`${name}\n`), bytes]))
    .digest("hex");
  return expected.startsWith(keyId) ? { written, name, keyId, publicKey: bytes.subarray(1) } : null;
}

/** Whether a note bears a good signature by a key. */
function isSignedBy({ text, signatures }: CheckpointNote, { name, keyId, publicKey }: VerifierKey): boolean {
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: publicKey.toString("base64url") },
    format: "jwk",
  });
  return signatures.some(
    (one) => one.name === name && one.keyId === keyId && verify(null, Buffer.from(text), key, one.signature),
  );
}

const ED25519 = 1;

/** Knows who must have signed the next checkpoint: a key takes over with the checkpoint after its announcement. */
export class Signer {
  readonly #find: (finding: string) => void;
  #key: VerifierKey | null = null;
  #announced: { readonly key: VerifierKey; readonly row: number } | null = null;
  /** Those that have signed, as they are written. */
  readonly signed = new Set<string>();

  /** `written`: the key that signs from the beginning on, or null where the record announces it first. */
  constructor(written: string | null, find: (finding: string) => void) {
    this.#find = find;
    if (written === null) return;
    this.#key = readVerifierKey(written);
    if (this.#key === null) find(`the key ${written} is none`);
  }

  /** Takes in a row that announces a key. */
  announce(written: unknown, row: number): void {
    const key = typeof written === "string" ? readVerifierKey(written) : null;
    if (key === null) this.#find(`row ${row} announces a key that is none`);
    // The first of all has nobody before it who could vouch for it.
    else if (this.#key === null) this.#key = key;
    else if (key.written !== this.#key.written) this.#announced = { key, row };
  }

  /** Takes in a checkpoint; finds that the wrong one signed it. */
  check(note: CheckpointNote): void {
    const before = this.#key;
    const announced = this.#announced;
    if (announced !== null) this.#key = announced.key;
    this.#announced = null;
    if (before !== null && isSignedBy(note, before)) this.signed.add(before.written);
    else if (announced !== null && isSignedBy(note, announced.key)) {
      this.#find(`row ${announced.row} brings in a key that the one before did not sign for`);
    } else this.#find(`the checkpoint over ${note.size} rows was replaced: the record's key did not sign it`);
  }
}
