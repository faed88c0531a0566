import {
  type CheckpointNote,
  type ExportHeader,
  type ExportLine,
  type ExportRow,
  type ExportStub,
  readCheckpoint,
  Signer,
} from "../export-format.ts";
import { MerkleTree, RowChain, rows } from "./hashes.ts";

/** What a record turned out to be. */
export interface Verdict {
  readonly origin: string;
  /** It is a part of a record, and nothing is said of the rest. */
  readonly part: boolean;
  /** By their sequence; `last` is below `first` where there are none. */
  readonly first: number;
  readonly last: number;
  readonly checkpoints: number;
  /** How many rows of all time a good checkpoint covers. */
  readonly signed: number;
  /** By which keys, as `name+id+key`. */
  readonly keys: readonly string[];
  /** What is wrong with it, in words; empty where all is well. At most `MOST_FINDINGS`. */
  readonly findings: readonly string[];
}

/** Who reads more knows no more. */
const MOST_FINDINGS = 100;

export interface Trust {
  /** The record's key as the verifying person knows it, as `name+id+key`; null takes the key that the record names. */
  readonly key: string | null;
  /** Checkpoints that somebody else has kept, as notes. */
  readonly witnessed: readonly string[];
}

/**
 * Verifies a record line by line, from what is written of the formats alone: it has nothing in common with what wrote the
 * record but SHA-256 and Ed25519 themselves.
 */
export class Verifier {
  readonly #header: ExportHeader;
  readonly #trust: Trust;
  readonly #findings: string[] = [];
  readonly #chain: RowChain;
  readonly #signer: Signer;
  readonly #witnessed: readonly CheckpointNote[];
  readonly #unsigned = new UnsignedSpan();
  /** Null once rows are missing or misplaced: no root can be told any more. */
  #tree: MerkleTree | null;
  #checkpoints = 0;
  #signed = 0;
  #removalTold = false;

  constructor(header: ExportHeader, trust: Trust) {
    this.#header = header;
    this.#trust = trust;
    const { size, frontier } = header.base;
    this.#chain = new RowChain(size, this.#find);
    this.#tree = MerkleTree.from(
      size,
      frontier.map((peak) => Buffer.from(peak, "base64")),
    );
    this.#signer = new Signer(header.key, this.#find);
    this.#witnessed = trust.witnessed.flatMap((note) => this.#readWitnessed(note));
    if (trust.witnessed.length > 0 && this.#witnessed.length === 0) {
      this.#find(`the witness has kept no checkpoint of ${header.origin}: it knows another record`);
    }
    this.#checkBase();
    this.#checkWitnessed();
  }

  take(line: ExportLine): void {
    switch (line.kind) {
      case "row":
        this.#takeRow(line.row);
        this.#takeNotice(line.row);
        this.#unsigned.take(line.row);
        break;
      case "stub":
        this.#takeRow(line.row);
        break;
      case "checkpoint":
        this.#takeCheckpoint(line.note);
        break;
      case "header":
        this.#find(`after row ${this.#chain.size - 1} another record begins`);
    }
    this.#checkWitnessed();
  }

  #takeRow(row: ExportRow | ExportStub): void {
    const isInPlace = this.#chain.take(row);
    if (!isInPlace) this.#tree = null;
    this.#tree?.add(Buffer.from(row.hash, "hex"));
  }

  /** What happened to the record itself. */
  #takeNotice({ type, sequence, ...notice }: ExportRow): void {
    if (type === "key") this.#signer.announce(notice.key, sequence);
    if (type === "pruned" && notice.size === this.#header.base.size) this.#removalTold = true;
    if (type === "begun" && notice.origin !== this.#header.origin) {
      this.#find(`row ${sequence} begins another record than ${this.#header.origin}`);
    }
  }

  #takeCheckpoint(written: string): void {
    const note = readCheckpoint(written);
    const before = this.#chain.size - 1;
    this.#checkpoints++;
    if (note === null) this.#find(`after row ${before} stands a checkpoint that cannot be read`);
    else if (note.origin !== this.#header.origin) {
      this.#find(`the checkpoint over ${note.size} rows is of another record, ${note.origin}`);
    } else if (note.size > before + 1) {
      this.#find(`a checkpoint covers ${note.size} rows: ${rows(before + 1, note.size - 1)} missing`);
    } else if (note.size < before + 1) {
      this.#find(`a checkpoint over ${note.size} rows stands after row ${before}: it was replaced`);
    } else this.#checkTree(note);
  }

  #checkTree(note: CheckpointNote): void {
    const before = this.#findings.length;
    this.#signer.check(note);
    if (this.#tree !== null && !this.#tree.root().equals(note.root)) this.#findOtherRows(note);
    if (this.#tree === null || this.#findings.length > before) return;
    this.#signed = note.size;
    this.#unsigned.end();
  }

  end(): Verdict {
    this.#chain.end();
    const { origin, part, base } = this.#header;
    if (!part && base.size > 0 && !this.#removalTold) {
      this.#find(`${rows(0, base.size - 1)} missing, and the record does not say that they were removed`);
    }
    for (const note of this.#witnessed.filter(({ size }) => !part && size > this.#chain.size)) {
      this.#find(`the witness saw ${note.size} rows: ${rows(this.#chain.size, note.size - 1)} missing`);
    }
    const [first, last] = [base.size, this.#chain.size - 1];
    if (this.#unsigned.isLong && this.#findings.length === 0) {
      const from = Math.max(this.#signed, first);
      this.#find(`${rows(from, last)} of hours, and not signed: a checkpoint was removed, or none could be made`);
    }
    const { key } = this.#trust;
    if (key !== null && !this.#signer.signed.has(key)) this.#find(`no checkpoint here is signed by ${key}`);
    const keys = [...this.#signer.signed];
    const [checkpoints, signed] = [this.#checkpoints, this.#signed];
    return { origin, part, first, last, checkpoints, signed, keys, findings: this.#findings };
  }

  readonly #find = (finding: string): void => {
    if (this.#findings.length < MOST_FINDINGS) this.#findings.push(finding);
  };

  #findOtherRows({ size }: CheckpointNote): void {
    const from = Math.max(this.#signed, this.#header.base.size);
    this.#find(
      `the checkpoint over ${size} rows has another root than rows ${from} to ${size - 1}: they were replaced, or it was`,
    );
    // Told once: every later root differs too.
    this.#tree = null;
  }

  #checkBase(): void {
    const { size, note: written } = this.#header.base;
    if (size === 0) return;
    const note = written === null ? null : readCheckpoint(written);
    if (this.#tree === null || note === null) {
      this.#tree = null;
      this.#find(`nothing tells what came before row ${size}: no checkpoint can be compared`);
      return;
    }
    if (note.size !== size || !this.#tree.root().equals(note.root) || note.origin !== this.#header.origin) {
      this.#find(`the checkpoint before row ${size} is not over the rows before it: it was replaced`);
    }
    this.#signed = size;
  }

  #checkWitnessed(): void {
    const { size } = this.#chain;
    for (const note of this.#witnessed) {
      if (note.size !== size || this.#tree === null || this.#tree.root().equals(note.root)) continue;
      this.#find(`the witness saw other rows: its checkpoint over ${size} rows has another root`);
    }
  }

  #readWitnessed(written: string): CheckpointNote[] {
    const note = readCheckpoint(written);
    if (note === null) this.#find("what the witness kept holds a checkpoint that cannot be read");
    return note === null || note.origin !== this.#header.origin ? [] : [note];
  }
}

const HOUR_MS = 3_600_000;
/** A record is signed every hour while its player runs; twice as long without shows that something is gone. */
const LONGEST_MS = 2 * HOUR_MS;

/**
 * How long a player ran, by its machine's monotonic clock, while rows were added that no checkpoint covers yet. It may have
 * been down for longer than an hour between two of them, which says nothing.
 */
class UnsignedSpan {
  #bootId: unknown = null;
  #lastMs = 0;
  #ranMs = 0;
  #isLong = false;

  /** Whether it went on for longer than a player goes without a checkpoint. */
  get isLong(): boolean {
    return this.#isLong;
  }

  take({ bootId, endedMonotonicMs }: ExportRow): void {
    if (typeof endedMonotonicMs !== "number") return;
    const sinceMs = endedMonotonicMs - this.#lastMs;
    if (bootId !== this.#bootId) this.#ranMs = 0;
    else if (sinceMs <= HOUR_MS) this.#ranMs += sinceMs;
    this.#bootId = bootId;
    this.#lastMs = endedMonotonicMs;
    if (this.#ranMs > LONGEST_MS) this.#isLong = true;
  }

  /** All rows so far are covered. */
  end(): void {
    this.#bootId = null;
    this.#isLong = false;
  }
}
