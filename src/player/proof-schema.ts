import type { Migration } from "./database.ts";

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
];
