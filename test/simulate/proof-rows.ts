import { existsSync, statSync } from "node:fs";
import { openReadOnly } from "../../src/player/stores/database.ts";

/** A proof as the player's file has it. */
export interface ProofRow {
  readonly id: number;
  readonly pop: string;
  readonly state: "owed" | "delivered" | "refused" | "expired";
}

/** The player's file of proofs as somebody else reads it, who changes nothing. */
export class ProofRows {
  readonly #path: string;
  #open: ReturnType<typeof prepared> | null = null;

  constructor(path: string) {
    this.#path = path;
  }

  /** The row of a proof that was owed just now, or null. */
  newest(pop: string): ProofRow | null {
    return this.#read(({ newest }) => newest.all().find((row) => row.pop === pop)) ?? null;
  }

  find(id: number): ProofRow | null {
    return this.#read(({ find }) => find.get(id)) ?? null;
  }

  /** From a row on, and all that are owed. */
  from(id: number): readonly ProofRow[] {
    return this.#read(({ from }) => from.all(id)) ?? [];
  }

  /** Of each that is owed its kind and request. */
  owed(): readonly string[] {
    return this.#read(({ owed }) => owed.all().map(({ key }) => key)) ?? [];
  }

  count(): number {
    return this.#read(({ count }) => count.get()?.count) ?? 0;
  }

  close(): void {
    this.#open?.database.close();
    this.#open = null;
  }

  /** The file may have been replaced since it was read last: then what was asked is asked of the new one. */
  #read<T>(ask: (statements: ReturnType<typeof prepared>) => T | undefined): T | undefined {
    if (this.#open !== null && this.#open.inode !== inodeOf(this.#path)) this.close();
    if (!existsSync(this.#path)) return undefined;
    this.#open ??= prepared(this.#path);
    return ask(this.#open);
  }
}

function prepared(path: string) {
  const database = openReadOnly(path);
  const select = "select id, pop, state from proof";
  return {
    database,
    inode: inodeOf(path),
    newest: database.prepare<[], ProofRow>(`${select} order by id desc limit 4`),
    find: database.prepare<[number], ProofRow>(`${select} where id = ?`),
    from: database.prepare<[number], ProofRow>(
      `${select} where id >= ? union ${select} where state = 'owed' and attempts = 0
       union ${select} where state = 'owed' and attempts > 0`,
    ),
    owed: database.prepare<[], { key: string }>(
      "select kind || ' ' || request_id as key from proof where state = 'owed'",
    ),
    count: database.prepare<[], { count: number }>("select count(*) as count from proof"),
  };
}

function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}
