import type { Instant } from "../../core/spot.ts";
import { prepareRecord, type RecordStatements } from "../record/record-sql.ts";
import type { Database, Statement } from "../stores/database.ts";
import type { Day, DeliveryCount, ReportedProof } from "./day-report.ts";
import type { OwedProof, ProofState, RefusedProof } from "./proof-records.ts";

/** How many settled proofs are forgotten in one commit, so that no commit holds up the loop. */
export const FORGOTTEN_AT_ONCE = 2_000;

const COLUMNS = `
  id, run_id as runId, playout_id as playoutId, screen_id as screenId, request_id as requestId, item_id as itemId, kind, pop, attempts, deadline,
  case when requested_boot = @bootId then shown_monotonic end as shownAt`;

const INSERT = `
  insert into proof (id, run_id, playout_id, screen_id, request_id, item_id, kind, pop, shown_wall, shown_monotonic,
    requested_wall, requested_monotonic, requested_boot, service_offset, timeline, due, deadline)
  values (@id, @runId, @playoutId, @screenId, @requestId, @itemId, @kind, @pop, @shownWall, @shownAt,
    @requestedWall, @requestedAt, @bootId, @serviceOffset, @bootId, @shownAt, @deadline)
  on conflict (run_id, playout_id) do nothing`;

// The indexes are named: of those that SQLite could choose only these two are small however much is kept.
const UNTRIED = `
  select ${COLUMNS} from proof indexed by proof_untried
  where state = 'owed' and attempts = 0 and deadline > @now and timeline = @bootId
    and id not in (select value from json_each(@except))
  order by deadline limit @limit`;
const TRIED = `
  select ${COLUMNS} from proof indexed by proof_tried
  where state = 'owed' and attempts > 0 and deadline > @now and timeline = @bootId and due <= @now
    and id not in (select value from json_each(@except))
  order by deadline limit @limit`;

const NEXT = `
  select min(at) as at from (
    select min(deadline) as at from proof indexed by proof_untried
    where state = 'owed' and attempts = 0 and deadline > @now and timeline = @bootId
    union all
    select min(deadline) from proof indexed by proof_tried
    where state = 'owed' and attempts > 0 and deadline > @now and timeline = @bootId
    union all
    select min(due) from proof indexed by proof_tried
    where state = 'owed' and attempts > 0 and deadline > @now and timeline = @bootId and due > @now
  )`;

// The id alone could be another's: a file that takes over from a broken one may give it out again.
const SAME = "id = @id and run_id = @runId and playout_id = @playoutId and state = 'owed'";

const RETRY = `update proof set attempts = attempts + @tries, due = @due, last_answer = @answer where ${SAME}`;
/** What is settled is told beside the offset that it was shown by, and the machine's clock can have been set since. */
const CLOSE = `
  update proof set attempts = attempts + @tries, state = @state, last_answer = @answer,
    settled_wall = @service - service_offset,
    delay_ms = case when requested_boot = @bootId and shown_monotonic is not null then @now - shown_monotonic
      else max(0, @service - (shown_wall + service_offset)) end
  where ${SAME}`;

const OVERDUE = `
  select id from (
    select id from proof indexed by proof_untried
    where state = 'owed' and attempts = 0 and deadline <= @now and timeline = @bootId
    union all
    select id from proof indexed by proof_tried
    where state = 'owed' and attempts > 0 and deadline <= @now and timeline = @bootId
  ) where id not in (select value from json_each(@except))`;
const EXPIRE = `
  update proof set state = 'expired', settled_wall = @wall where id in (${OVERDUE}) returning ${COLUMNS}`;
const EXPIRE_FROM_EARLIER_BOOTS = `
  update proof set state = 'expired', settled_wall = @wall where state = 'owed' and timeline <> @bootId
  returning ${COLUMNS}`;

const FROM_EARLIER_BOOTS = `
  select id, requested_wall + service_offset as requested, service_offset <> 0 as isDated from proof
  where state = 'owed' and timeline <> ?`;
const DATED_BEFORE = `
  select requested_wall + service_offset as requested from proof
  where id < ? and service_offset <> 0 order by id desc limit 1`;
const REBASE = "update proof set timeline = @bootId, due = @now, deadline = @deadline where id = @id";
/** An offset of 0 is one that was not known. The monotonic clock tells how long ago it was, however the wall clock was set since. */
const DATE = `
  update proof set service_offset = @service - (@now - shown_monotonic) - shown_wall, requested_wall = requested_wall - @withinMs
  where requested_boot = @bootId and service_offset = 0 and shown_monotonic is not null`;
/** Due at once by any clock. */
export const RETRY_ALL = "update proof set due = 0 where state = 'owed'";

const OLDEST = `
  select requested from (
    select * from (
      select requested_wall + service_offset as requested from proof indexed by proof_untried
      where state = 'owed' and attempts = 0 order by deadline limit 1
    )
    union all
    select * from (
      select requested_wall + service_offset from proof indexed by proof_tried
      where state = 'owed' and attempts > 0 order by deadline limit 1
    )
  ) order by requested limit 1`;

const LAST_ID = "select max(id) as id from proof";

export const COUNTS = "select state, count(*) as count from proof group by state";

const LAST_DELIVERED = `
  select shown_wall + service_offset as shownAt from proof indexed by proof_by_shown
  where state = 'delivered' and screen_id = ? order by shown_wall + service_offset desc limit 1`;

const FORGET = `
  delete from proof where id in (
    select id from proof where state in ('delivered', 'refused', 'expired') and shown_wall + service_offset < @before
    limit ${FORGOTTEN_AT_ONCE}
  )`;
const FORGET_DELIVERY_COUNTS = "delete from tally where quarter < @quarter";
const ADD_DELIVERY_COUNT = `
  insert into tally (quarter, what, label, count) values (@quarter, @what, @label, @count)
  on conflict do update set count = count + excluded.count`;

/** The proofs of items shown in a span of time by the service's clock, and what was counted in it. */
export const REPORTED = `
  select kind, state, shown_wall + service_offset as shownAt, delay_ms as delayMs from proof
  where state in ('owed', 'delivered', 'refused', 'expired')
    and shown_wall + service_offset >= @from and shown_wall + service_offset < @until`;
export const DELIVERY_COUNTS = `
  select quarter, what, label, count from tally where quarter >= @from / 900000 and quarter < @until / 900000`;

/** A proof from before this boot. */
export interface EarlierProof {
  readonly id: number;
  /** By the service's clock, or where that was not known yet by this machine's, epoch milliseconds. */
  readonly requested: Instant;
  readonly isDated: 0 | 1;
}

/** Everything that the proof store says to its database, prepared once for as long as that is open. */
export interface ProofStatements {
  readonly insert: Statement<object>;
  readonly untried: Statement<object, OwedProof>;
  readonly tried: Statement<object, OwedProof>;
  readonly next: Statement<object, { readonly at: Instant | null }>;
  readonly retry: Statement<object>;
  readonly close: Statement<object>;
  readonly overdue: Statement<object>;
  readonly expire: Statement<object, OwedProof>;
  readonly expireFromEarlierBoots: Statement<object, OwedProof>;
  readonly fromEarlierBoots: Statement<[string], EarlierProof>;
  /** Of the newest proof before one by its id that is dated. */
  readonly datedBefore: Statement<[number], Pick<EarlierProof, "requested">>;
  readonly rebase: Statement<object>;
  readonly date: Statement<object>;
  readonly retryAll: Statement<[]>;
  readonly lastId: Statement<[], { readonly id: number | null }>;
  readonly counts: Statement<[], StateCount>;
  readonly oldest: Statement<[], { readonly requested: Instant }>;
  readonly version: Statement<[], { readonly data_version: number }>;
  readonly lastDelivered: Statement<[screenId: string], { readonly shownAt: Instant }>;
  readonly forget: Statement<object>;
  readonly forgetDeliveryCounts: Statement<object>;
  readonly addDeliveryCount: Statement<object>;
  readonly reported: Statement<object, ReportedProof>;
  readonly deliveryCounts: Statement<object, DeliveryCount>;
  readonly refused: FindRefused;
  readonly record: RecordStatements;
  inOneCommit(act: () => void): void;
}

export function prepareProofs(db: Database): ProofStatements {
  return {
    insert: db.prepare(INSERT),
    untried: db.prepare(UNTRIED),
    tried: db.prepare(TRIED),
    next: db.prepare(NEXT),
    retry: db.prepare(RETRY),
    close: db.prepare(CLOSE),
    overdue: db.prepare(OVERDUE),
    expire: db.prepare(EXPIRE),
    expireFromEarlierBoots: db.prepare(EXPIRE_FROM_EARLIER_BOOTS),
    fromEarlierBoots: db.prepare(FROM_EARLIER_BOOTS),
    datedBefore: db.prepare(DATED_BEFORE),
    rebase: db.prepare(REBASE),
    date: db.prepare(DATE),
    retryAll: db.prepare(RETRY_ALL),
    lastId: db.prepare(LAST_ID),
    counts: db.prepare(COUNTS),
    oldest: db.prepare(OLDEST),
    version: db.prepare("pragma data_version"),
    lastDelivered: db.prepare(LAST_DELIVERED),
    forget: db.prepare(FORGET),
    forgetDeliveryCounts: db.prepare(FORGET_DELIVERY_COUNTS),
    addDeliveryCount: db.prepare(ADD_DELIVERY_COUNT),
    reported: db.prepare(REPORTED),
    deliveryCounts: db.prepare(DELIVERY_COUNTS),
    refused: prepareRefused(db),
    record: prepareRecord(db),
    inOneCommit: db.transaction((act: () => void) => act()),
  };
}

// By the index over states and times: each look at the health pages asks for it.
const LAST_REFUSED = `
  select coalesce(settled_wall, shown_wall) + service_offset as at, screen_id as screenId, item_id as itemId, kind,
    last_answer as answer
  from proof
  where state = 'refused' and shown_wall + service_offset >= @from and shown_wall + service_offset < @until
  order by shown_wall + service_offset desc limit 1`;

type RefusedRow = Omit<RefusedProof, "status"> & { readonly answer: string | null };

export type FindRefused = Statement<object, RefusedRow>;

export function prepareRefused(db: Database): FindRefused {
  return db.prepare(LAST_REFUSED);
}

/** Of the refused proofs the one whose item was shown last, on a day or ever; null where there is none. */
export function lastRefused(find: FindRefused, day: Day | null): RefusedProof | null {
  const row = find.get({ from: day?.from ?? 0, until: day?.until ?? Number.MAX_SAFE_INTEGER });
  if (row === undefined) return null;
  const { answer, ...refused } = row;
  const status = /^HTTP (\d{3})$/.exec(answer ?? "")?.[1];
  return { ...refused, at: Math.round(refused.at), status: status === undefined ? null : Number(status) };
}

export interface StateCount {
  readonly state: ProofState;
  readonly count: number;
}

export function byState(counted: readonly StateCount[]): Record<ProofState, number> {
  const counts = { owed: 0, delivered: 0, refused: 0, expired: 0 };
  for (const { state, count } of counted) counts[state] = count;
  return counts;
}

/** How many proofs there are of each state: counted once for a version of the file, and along with what its owner changes. */
export class StateCounts {
  #counted: { readonly counts: Record<ProofState, number>; readonly version: FileVersion } | null = null;

  in(statements: ProofStatements): Readonly<Record<ProofState, number>> {
    // What others have changed shows in the version, what the owner has itself does not.
    const version = versionOf(statements);
    if (this.#counted === null || !isSame(this.#counted.version, version)) {
      this.#counted = { counts: byState(statements.counts.all()), version };
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
