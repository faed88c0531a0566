import { createHash } from "node:crypto";
import type { ExportRow, ExportStub } from "../export-format.ts";

/** The most gaps that are told apart; a record with more is no record. */
const MOST_GAPS = 1_000;

/** Follows rows from one to the next, and finds those that were changed, taken away, added or put elsewhere. */
export class RowChain {
  readonly #find: (finding: string) => void;
  /** The sequence that the next row must have. */
  #next: number;
  /** Of the row before; null where that is not here. */
  #hash: string | null;
  /** What was passed over: it may still come. */
  readonly #gaps: { first: number; last: number }[] = [];

  constructor(first: number, find: (finding: string) => void) {
    this.#next = first;
    this.#hash = first === 0 ? "0".repeat(64) : null;
    this.#find = find;
  }

  /** How many rows of all time there are up to here. */
  get size(): number {
    return this.#next;
  }

  /** Takes in the next line; says whether the row stands where it belongs. */
  take(row: ExportRow | ExportStub): boolean {
    const { sequence } = row;
    if ("type" in row) this.#checkContent(row);
    if (sequence < this.#next) {
      this.#find(this.#misplaced(sequence));
      return false;
    }
    const isNext = sequence === this.#next;
    if (!isNext) this.#gaps.push({ first: this.#next, last: sequence - 1 });
    if (this.#gaps.length > MOST_GAPS) this.#gaps.shift();
    if (isNext && "type" in row && this.#hash !== null && row.previous !== this.#hash) {
      this.#find(`row ${sequence} does not follow row ${sequence - 1} as that is here: one of both was replaced`);
    }
    this.#next = sequence + 1;
    this.#hash = row.hash;
    return isNext;
  }

  /** Tells what never came. */
  end(): void {
    for (const { first, last } of this.#gaps) this.#find(`${rows(first, last)} missing`);
  }

  #checkContent({ hash, ...row }: ExportRow): void {
    const found = createHash("sha256").update(canonicalJson(row)).digest("hex");
    if (found !== hash) this.#find(`row ${row.sequence} was changed: it does not match its hash`);
  }

  #misplaced(sequence: number): string {
    const gap = this.#gaps.find(({ first, last }) => first <= sequence && sequence <= last);
    if (gap === undefined) return `row ${sequence} stands twice: after row ${this.#next - 1} one was added`;
    this.#gaps.splice(this.#gaps.indexOf(gap), 1, ...without(gap, sequence));
    return `row ${sequence} stands after row ${this.#next - 1}, where it does not belong`;
  }
}

/** "row 3 is", "rows 3 to 5 are". */
export function rows(first: number, last: number): string {
  return first === last ? `row ${first} is` : `rows ${first} to ${last} are`;
}

function without({ first, last }: { first: number; last: number }, sequence: number) {
  return [
    { first, last: sequence - 1 },
    { first: sequence + 1, last },
  ].filter((gap) => gap.first <= gap.last);
}

/**
 * A value of JSON as RFC 8785 writes it: members sorted by their UTF-16 code units, no spaces; numbers and strings as
 * ECMAScript writes them (3.2.2), which is what `JSON.stringify` does.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.keys(value)
    .sort()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(Reflect.get(value, name))}`);
  return `{${members.join()}}`;
}

/** A Merkle tree as RFC 6962 defines it, by its levels: at each the root of a perfect subtree that has no neighbour yet. */
export class MerkleTree {
  /** Level n holds 2^n leaves or none. */
  readonly #levels: (Buffer | null)[] = [];
  #size = 0;

  /** A tree that has leaves already; null where so many subtrees do not make one of that size. */
  static from(size: number, subtrees: readonly Buffer[]): MerkleTree | null {
    const tree = new MerkleTree();
    let next = 0;
    for (let level = Math.floor(Math.log2(Math.max(1, size))); level >= 0; level--) {
      const has = Math.floor(size / 2 ** level) % 2 === 1;
      tree.#levels[level] = has ? (subtrees[next++] ?? null) : null;
      if (has && tree.#levels[level]?.length !== 32) return null;
    }
    tree.#size = size;
    return next === subtrees.length ? tree : null;
  }

  get size(): number {
    return this.#size;
  }

  add(leaf: Buffer): void {
    let carried = digest([LEAF, leaf]);
    let level = 0;
    for (let left = this.#levels[0] ?? null; left !== null; left = this.#levels[level] ?? null) {
      carried = digest([NODE, left, carried]);
      this.#levels[level++] = null;
    }
    this.#levels[level] = carried;
    this.#size++;
  }

  root(): Buffer {
    let root: Buffer | null = null;
    for (const subtree of this.#levels) {
      if (subtree !== null) root = root === null ? subtree : digest([NODE, subtree, root]);
    }
    return root ?? digest([]);
  }
}

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

function digest(parts: readonly Uint8Array[]): Buffer {
  return createHash("sha256").update(Buffer.concat(parts)).digest();
}
