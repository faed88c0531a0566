import type { ProofState } from "./proof-records.ts";
import type { ProofStatements } from "./proof-sql.ts";

/** How many proofs there are of each state: counted once for a version of the file, and along with what its owner changes. */
export class StateCounts {
  #counted: { readonly counts: Record<ProofState, number>; readonly version: FileVersion } | null = null;

  in(statements: ProofStatements): Readonly<Record<ProofState, number>> {
    // What others have changed shows in the version, what the owner has itself does not.
    const version = versionOf(statements);
    if (this.#counted === null || !isSame(this.#counted.version, version)) {
      const counts = { owed: 0, delivered: 0, refused: 0, expired: 0 };
      for (const { state, count } of statements.counts.all()) counts[state] = count;
      this.#counted = { counts, version };
    }
    return this.#counted.counts;
  }

  /** Tells of so many that came to be `to`; new ones from null. */
  move(from: ProofState | null, to: ProofState, count: number): void {
    if (this.#counted === null) return;
    if (from !== null) this.#counted.counts[from] -= count;
    this.#counted.counts[to] += count;
  }

  /** They are counted anew when they are asked for. */
  forget(): void {
    this.#counted = null;
  }
}

/** The file, by the statements prepared for it, and how often others have changed it. */
export interface FileVersion {
  readonly statements: ProofStatements;
  readonly number: number;
}

export function versionOf(statements: ProofStatements): FileVersion {
  return { statements, number: statements.version.get()?.data_version ?? 0 };
}

export function isSame(one: FileVersion | null, other: FileVersion): boolean {
  return one?.statements === other.statements && one.number === other.number;
}
