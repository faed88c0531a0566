import { accessSync, constants } from "node:fs";
import type { Verdict } from "../../core/proofs/proof.ts";
import type { Instant, ItemKind } from "../../core/spot.ts";
import { codeOf, type Database, isUsableBy, type Migration, openReadOnly, StoreUnusable } from "../stores/database.ts";

/** A playout that was shown in full and is to be proved (G1). Instants are monotonic, of the present boot. */
export interface NewProof {
  /** Unique within the run. */
  readonly playoutId: string;
  readonly screenId: string;
  readonly requestId: string;
  readonly itemId: string;
  readonly kind: ItemKind;
  readonly pop: string;
  /** Just before the spot request was sent (F7). */
  readonly requestedAt: Instant;
  /** When it had been on screen for its whole duration. */
  readonly shownAt: Instant;
}

/** A proof that waits to be delivered. */
export interface OwedProof {
  readonly id: number;
  readonly runId: string;
  readonly playoutId: string;
  readonly screenId: string;
  readonly requestId: string;
  readonly itemId: string;
  readonly kind: ItemKind;
  readonly pop: string;
  /** Tries that have come to an end. */
  readonly attempts: number;
  /** Monotonic, of the present boot. */
  readonly deadline: Instant;
  /** Monotonic, or null where it was shown before the present boot. */
  readonly shownAt: Instant | null;
}

export type Owing =
  /** `unrecorded`: why its row is not in the playout record, where it should be. */
  | { readonly kind: "owed"; readonly unrecorded?: string }
  /** This playout is owed, or was, already: nothing was added. */
  | { readonly kind: "known" }
  /** Nothing was kept, by SQLite's code: `SQLITE_FULL`, `SQLITE_IOERR_WRITE`… The proof must be owed again. */
  | { readonly kind: "unwritable"; readonly code: string };

/** What a try, or the end of the hour, made of a proof. */
export interface Settlement {
  readonly proof: Pick<OwedProof, "id" | "runId" | "playoutId">;
  readonly verdict: Verdict;
  /** In words for people: `accepted`, `HTTP 410`, `timeout`; null where the hour ended without a try. */
  readonly answer: string | null;
  /** How many tries are recorded with it: one, unless the store took none for a while. */
  readonly tries?: number;
}

/** A proof that the service did not take. */
export interface RefusedProof {
  /** When it was refused for good: epoch milliseconds, by the service's clock. */
  readonly at: Instant;
  readonly screenId: string;
  readonly itemId: string;
  readonly kind: ItemKind;
  /** The HTTP status of the last answer; null where that is not known. */
  readonly status: number | null;
}

export type ProofState = "owed" | "delivered" | "refused" | "expired";

export interface ProofCounts extends Readonly<Record<ProofState, number>> {
  /** The soonest deadline of those owed, epoch milliseconds by the service's clock, or null. */
  readonly oldestDeadline: Instant | null;
}

/** How long settled proofs are kept (G9). */
export const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * The proofs' database, oldest step first. `due` and `deadline` are on the monotonic clock of the boot that `timeline`
 * names; the request is kept on every clock there is, so that a later boot can carry both over to its own. An older player
 * takes what is owed out of the file of a newer one by the names of the first step's columns: later steps keep them.
 */
export const proofMigrations: readonly Migration[] = [
  `create table proof (
     id integer primary key,
     run_id text not null,
     playout_id text not null,
     screen_id text not null,
     request_id text not null,
     item_id text not null,
     kind text not null check (kind in ('news', 'ad')),
     pop text not null,
     shown_wall real not null,
     requested_wall real not null,
     requested_monotonic real not null,
     requested_boot text not null,
     service_offset real not null,
     timeline text not null,
     due real not null,
     deadline real not null,
     attempts integer not null default 0,
     state text not null default 'owed' check (state in ('owed', 'delivered', 'refused', 'expired')),
     last_answer text,
     settled_wall real,
     unique (run_id, playout_id)
   ) strict;
   create index proof_by_deadline on proof (state, (attempts > 0), deadline);
   create index proof_by_due on proof (state, timeline, due);`,

  // What waits is found by two small indexes, from which a proof is gone once it is settled. When an item was shown is
  // kept on the monotonic clock too, so that the delay of a proof is known to the millisecond: the service tells seconds.
  `drop index proof_by_deadline;
   drop index proof_by_due;
   alter table proof add column shown_monotonic real;
   alter table proof add column delay_ms real;
   create index proof_untried on proof (deadline, timeline) where state = 'owed' and attempts = 0;
   create index proof_tried on proof (deadline, timeline, due) where state = 'owed' and attempts > 0;
   create index proof_by_shown on proof (state, (shown_wall + service_offset));
   create table tally (
     quarter integer not null,
     what text not null,
     label text not null,
     count integer not null,
     primary key (quarter, what, label)
   ) strict, without rowid;`,

  // The playout record lies in the same file, so that a proof and its row are one commit. Hashes are 32 bytes.
  `create table record (
     sequence integer primary key,
     previous blob not null,
     type text not null,
     ended real not null,
     started real,
     clock_offset real,
     boot_id text,
     started_monotonic real,
     ended_monotonic real,
     screen_id text,
     request_id text,
     item_id text,
     kind text,
     title text,
     digest blob,
     duration real,
     first_frame_age real,
     outcome text,
     reason text,
     display text,
     pop_hash blob,
     version text,
     notice text,
     hash blob not null
   ) strict;
   create index record_by_ended on record (ended);
   create index record_notices on record (type, sequence) where type <> 'playout';
   create trigger record_is_never_changed before update on record
   begin
     select raise(abort, 'a row of the record is never changed');
   end;
   create table checkpoint (
     size integer primary key,
     made real not null,
     note text not null,
     frontier blob not null,
     witness text check (witness in ('taken', 'refused'))
   ) strict;`,

  // What was shown before the service's time was known is dated once it is.
  { addition: "create index proof_undated on proof (requested_boot) where service_offset = 0" },
];

/**
 * Opens the file so that nothing in it can be changed. Throws `StoreUnusable`; `absence` says what is not there then. Throws
 * the system's errors and SQLite's where it cannot be read.
 */
export function openForReading(path: string, absence: string): Database {
  refuseAbsent(path, absence);
  return ofThisVersion(path, openReadOnly(path));
}

/** Throws `StoreUnusable` where there is no such file, and the system's error where it cannot be read. */
export function refuseAbsent(path: string, absence: string): void {
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error;
    throw new StoreUnusable(`${absence} at ${path}: no player has run with this folder`);
  }
}

/** The database, where this version can read its schema. Else it is closed, and `StoreUnusable` or SQLite's error thrown. */
export function ofThisVersion(path: string, database: Database): Database {
  try {
    const found = Number(database.pragma("user_version", { simple: true }));
    if (found >= proofMigrations.length && isUsableBy(database, proofMigrations.length)) return database;
    const which = found > proofMigrations.length ? "a newer" : "an older";
    throw new StoreUnusable(
      `${path} was written by ${which} version of Spotloop: use the version that the player is of`,
    );
  } catch (error) {
    database.close();
    throw error;
  }
}
