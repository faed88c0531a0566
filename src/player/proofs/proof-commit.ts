import { deadlineOf } from "../../core/proofs/proof.ts";
import type { EndedPlayout } from "../../core/proofs/record.ts";
import { appendPlayout } from "../record/record-sql.ts";
import type { ClockReading } from "../service-clock.ts";
import type { DeliveryCount } from "./day-report.ts";
import type { HeldProof } from "./held-proofs.ts";
import type { NewProof, Settlement } from "./proof-records.ts";
import type { ProofStatements } from "./proof-sql.ts";

/** A proof that is owed, and what is written in the same commit. */
export interface OwedCommit {
  readonly proof: NewProof;
  readonly runId: string;
  readonly reading: ClockReading;
  readonly counted: readonly DeliveryCount[];
  /** The playout, for its row of the record; null for none. */
  readonly ended: EndedPlayout | null;
  /** The same proof, where it was held in memory until now. */
  readonly held: HeldProof | null;
}

/**
 * The new proof's id, or null where it was known. A proof alone is a commit by itself, which SQLite makes in half the time of
 * one that was begun by hand.
 */
export function commitOwed(statements: ProofStatements, commit: OwedCommit): number | null {
  const { reading, counted, ended, held } = commit;
  const { insert, addDeliveryCount, record, inOneCommit } = statements;
  const row = rowOf(commit);
  if (counted.length === 0 && ended === null && held === null) return newIdOf(insert.run(row));
  let id: number | null = null;
  inOneCommit(() => {
    id = newIdOf(insert.run(row));
    // What is owed already is in the record already.
    if (id !== null && ended !== null) appendPlayout(record, ended, reading);
    if (id !== null && held?.last) writeSettlement(statements, held.last.settlement, held.last.reading);
    for (const count of counted) addDeliveryCount.run(count);
  });
  return id;
}

function rowOf({ proof, runId, reading, held }: OwedCommit): object {
  const toWall = reading.wall - reading.now;
  return {
    ...proof,
    id: held?.proof.id ?? null,
    runId,
    shownWall: proof.shownAt + toWall,
    // Where the service's time is not known exactly, no later than it was: from it a later boot tells what is left of the hour.
    requestedWall: proof.requestedAt + toWall - (reading.serviceWithinMs ?? 0),
    serviceOffset: (reading.service ?? reading.wall) - reading.wall,
    bootId: reading.bootId,
    deadline: deadlineOf(proof.requestedAt),
  };
}

function newIdOf({ changes, lastInsertRowid }: ReturnType<ProofStatements["insert"]["run"]>): number | null {
  return changes === 1 ? Number(lastInsertRowid) : null;
}

/** Writes what became of a proof: whether it was owed until then, and is not any more. */
export function writeSettlement(
  { retry, close }: ProofStatements,
  { proof, verdict, answer, tries = 1 }: Settlement,
  { bootId, now, wall, service }: ClockReading,
): boolean {
  const { id, runId, playoutId } = proof;
  const row = { id, runId, playoutId, answer, tries };
  if (verdict.kind === "retry") {
    retry.run({ ...row, due: verdict.at });
    return false;
  }
  return close.run({ ...row, state: verdict.kind, bootId, now, service: service ?? wall }).changes === 1;
}
