import type { Migration } from "../database.ts";

/**
 * The proofs' database, oldest step first. `due` and `deadline` are on the monotonic clock of the boot that `timeline`
 * names; the request is kept on every clock there is, so that a later boot can carry both over to its own.
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
];
