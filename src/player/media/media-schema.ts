import type { Migration } from "../stores/database.ts";

/** The schema of the media index, oldest step first. */
export const mediaIndexMigrations: readonly Migration[] = [
  `create table file (
     digest text primary key,
     size_bytes integer not null,
     used_at integer not null
   ) strict;
   create table source (
     key text primary key,
     digest text not null references file (digest) on delete cascade,
     content_type text not null
   ) strict;
   create index source_by_digest on source (digest);`,
  `alter table source add column etag text;
   alter table source add column last_modified text;
   alter table source add column fresh_until integer not null default 0;
   create table strike (
     key text primary key,
     count integer not null,
     last_at integer not null,
     until integer not null,
     reason text not null
   ) strict;`,
  // What was kept without its headers counts as another version, so that it is had again with them.
  `alter table source add column headers text not null default '{}';
   alter table source add column final_url text;
   update source set etag = null, last_modified = null, fresh_until = 0;
   create table absence (
     document text not null,
     part text not null,
     count integer not null,
     counted_at integer not null,
     primary key (document, part)
   ) strict;
   create table refusal (
     url text primary key,
     status integer not null,
     asked_at integer not null
   ) strict;
   create table page_load (
     key text primary key,
     digest text not null,
     recorded_ms real,
     seen_ms text not null,
     recorded_at integer not null
   ) strict;`,
  `create table data_month (
     month text primary key,
     used_bytes integer not null,
     monthly_bytes integer,
     refused integer not null
   ) strict;
   create table deferred (
     url text primary key,
     mime_type text,
     size_bytes integer,
     md5 text,
     wanted_at integer not null
   ) strict;`,
  `alter table refusal add column content_type text;
   alter table refusal add column said text;`,
  // Has the sizes in it, so that their sum is read off it.
  { addition: "create index file_by_use on file (used_at, size_bytes)" },
  {
    addition: `create index absence_by_age on absence (counted_at);
      create index refusal_by_age on refusal (asked_at);
      create index strike_by_age on strike (last_at);`,
  },
  // A server may have another answer for a browser than for the player as it asked before.
  {
    addition: `update source set etag = null, last_modified = null, fresh_until = 0;
      update page_load set recorded_at = 0; delete from refusal;`,
  },
];
