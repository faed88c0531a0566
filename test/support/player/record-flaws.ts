import { verifyStore } from "../../../src/cli/record/verify/verify.ts";
import { openReadOnly } from "../../../src/player/stores/database.ts";

/** Proofs are forgotten after 30 days; clocks jump by ten. */
const REMEMBERED_MS = 19 * 24 * 3_600_000;

/** Where rows were removed for their age, proofs are kept for longer than theirs. */
const FIRST_LEFT = `
  select proof.id from record join proof on proof.request_id = record.request_id and proof.kind = record.kind
  where record.outcome = 'shown' and exists (select 1 from record where type = 'pruned')
  order by record.sequence limit 1`;

const UNRECORDED = `
  select proof.kind || ' ' || proof.request_id as key, count(record.sequence) as rows from proof
  left join record
    on record.request_id = proof.request_id and record.kind = proof.kind and record.outcome = 'shown'
  where proof.id >= coalesce((${FIRST_LEFT}), 0)
  group by proof.id having rows <> 1`;

const UNPROVED = `
  select record.kind || ' ' || record.request_id as key from record
  left join proof on proof.request_id = record.request_id and proof.kind = record.kind
  where record.outcome = 'shown' and proof.id is null and record.ended > (select max(ended) from record) - ?`;

/**
 * What is wrong with the record in a sound file of proofs: by itself, and beside the proofs, each of which has one row that
 * says "shown", and each such row its proof. `isExcused` says of a proof, `ad <request>`, that it may have none.
 */
export function recordFlaws(path: string, isExcused: (key: string) => boolean = () => false): string[] {
  const database = openReadOnly(path);
  try {
    if (Number(database.pragma("user_version", { simple: true })) === 0) return [];
    const unrecorded = database.prepare<[], { key: string; rows: number }>(UNRECORDED).all();
    const unproved = database.prepare<[number], { key: string }>(UNPROVED).all(REMEMBERED_MS);
    return [
      ...(verifyStore(path, { key: null, witnessed: [] })?.findings ?? []),
      ...unrecorded.flatMap(({ key, rows }) => (isExcused(key) ? [] : [`${key}: proved, with ${rows} rows of record`])),
      ...unproved.map(({ key }) => `${key}: shown as the record says, and never owed`),
    ];
  } finally {
    database.close();
  }
}
