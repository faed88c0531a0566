import { carriedDeadline, deadlineOf, PROOF_WINDOW_MS, type Verdict } from "../core/proof.ts";
import type { Instant, ItemKind } from "../core/spot.ts";
import { codeOf, type Database } from "./database.ts";
import type { Moment } from "./service-clock.ts";

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
  readonly playoutId: string;
  readonly requestId: string;
  readonly itemId: string;
  readonly kind: ItemKind;
  readonly pop: string;
  /** Tries that have come to an end. */
  readonly attempts: number;
  /** Monotonic, of the present boot. */
  readonly deadline: Instant;
}

export type Owing =
  | { readonly kind: "owed" }
  /** This playout is owed, or was, already: nothing was added. */
  | { readonly kind: "known" }
  /** Nothing was kept, by SQLite's code: `SQLITE_FULL`, `SQLITE_IOERR_WRITE`… The proof must be owed again. */
  | { readonly kind: "unwritable"; readonly code: string };

/** What one try, or the end of the hour, made of a proof. */
export interface Settlement {
  readonly id: number;
  readonly verdict: Verdict;
  /** In words for people: `accepted`, `HTTP 410`, `timeout`. */
  readonly answer: string;
}

export interface ProofCounts {
  readonly owed: number;
  readonly delivered: number;
  readonly refused: number;
  readonly expired: number;
  /** The soonest deadline of those owed, epoch milliseconds by the service's clock, or null. */
  readonly oldestDeadline: Instant | null;
}

/** Settled proofs are kept for so long (G9). */
export const KEPT_MS = 30 * 24 * 3_600_000;

/** The outbox of proofs. It is given its database, opened with `proofMigrations`, and an id for this run of the player. */
export class ProofStore {
  readonly #db: Database;
  readonly #runId: string;

  constructor(db: Database, runId: string) {
    this.#db = db;
    this.#runId = runId;
  }

  /** Commits a proof; when this returns "owed", it survives a power cut. Due at once. */
  owe(proof: NewProof, moment: Moment): Owing {
    const toWall = moment.wall - moment.now;
    const row = {
      ...proof,
      runId: this.#runId,
      shownWall: proof.shownAt + toWall,
      requestedWall: proof.requestedAt + toWall,
      serviceOffset: (moment.service ?? moment.wall) - moment.wall,
      bootId: moment.bootId,
      deadline: deadlineOf(proof.requestedAt),
    };
    try {
      const { changes } = this.#db.prepare(INSERT).run(row);
      return { kind: changes === 1 ? "owed" : "known" };
    } catch (error) {
      const code = codeOf(error);
      if (code === null) throw error;
      return { kind: "unwritable", code };
    }
  }

  /**
   * At most `limit` proofs that may be sent at `moment`, soonest deadline first: those never tried, or those tried
   * before; without those named in `except`.
   */
  due(
    { bootId, now }: Moment,
    tried: "never" | "before",
    limit: number,
    except: readonly number[],
  ): readonly OwedProof[] {
    return this.#db
      .prepare<[object], OwedProof>(DUE)
      .all({ bootId, now, tried: tried === "never" ? 0 : 1, limit, except: JSON.stringify(except) });
  }

  /** The next instant at which a proof that waits falls due or runs out, or null. */
  nextAt(moment: Moment, except: readonly number[]): Instant | null {
    const query = { bootId: moment.bootId, now: moment.now, except: JSON.stringify(except) };
    return this.#db.prepare<[object], { at: Instant | null }>(NEXT).get(query)?.at ?? null;
  }

  /** Records what became of tries, all in one commit. */
  settle(settlements: readonly Settlement[], moment: Moment): void {
    const retry = this.#db.prepare(RETRY);
    const close = this.#db.prepare(CLOSE);
    this.#db.transaction(() => {
      for (const { id, verdict, answer } of settlements) {
        if (verdict.kind === "retry") retry.run({ id, answer, due: verdict.at });
        else close.run({ id, answer, state: verdict.kind, wall: moment.wall });
      }
    })();
  }

  /** Ends the hour for what is owed too late, and returns it (G9). */
  expire(moment: Moment, except: readonly number[]): readonly OwedProof[] {
    const { bootId, now, wall } = moment;
    return this.#db.prepare<[object], OwedProof>(EXPIRE).all({ bootId, now, wall, except: JSON.stringify(except) });
  }

  /** How many proofs are owed from before this boot and not yet carried over to its clock. */
  adrift(bootId: string): number {
    return this.#db.prepare<[string], { count: number }>(COUNT_ADRIFT).get(bootId)?.count ?? 0;
  }

  /**
   * Carries proofs from before this boot over to its clock, due at once, by the service's time. `begunAt`: when this
   * run began, monotonic; each of them was asked for before.
   */
  carryOver(moment: Moment & { readonly service: Instant }, begunAt: Instant): void {
    const update = this.#db.prepare(CARRY_OVER);
    this.#db.transaction(() => {
      for (const { id, requested } of this.#db.prepare<[string], Adrift>(ADRIFT).all(moment.bootId)) {
        const deadline = carriedDeadline(requested, moment.service, moment.now, begunAt);
        update.run({ id, deadline, bootId: moment.bootId, now: moment.now });
      }
    })();
  }

  /** Ends the hour for all that is owed from before this boot, and returns it: for when it must be over by any clock. */
  expireAdrift(moment: Moment): readonly OwedProof[] {
    return this.#db.prepare<[object], OwedProof>(EXPIRE_ADRIFT).all({ bootId: moment.bootId, wall: moment.wall });
  }

  counts(): ProofCounts {
    const counts = { owed: 0, delivered: 0, refused: 0, expired: 0 };
    for (const { state, count } of this.#db.prepare<[], { state: keyof typeof counts; count: number }>(COUNT).all()) {
      counts[state] = count;
    }
    const oldest = this.#db.prepare<[], { requested: Instant | null }>(OLDEST).get()?.requested ?? null;
    return { ...counts, oldestDeadline: oldest === null ? null : oldest + PROOF_WINDOW_MS };
  }

  /** Forgets what was settled and shown longer ago than it is kept; judged by the service's time, so never by mistake. */
  prune(serviceTime: Instant): number {
    return this.#db.prepare(PRUNE).run(serviceTime - KEPT_MS).changes;
  }

  close(): void {
    this.#db.close();
  }
}

interface Adrift {
  readonly id: number;
  /** By the service's clock, epoch milliseconds. */
  readonly requested: Instant;
}

const COLUMNS = `id, playout_id as playoutId, request_id as requestId, item_id as itemId, kind, pop, attempts, deadline`;
const NOT_EXCEPTED = "id not in (select value from json_each(@except))";

const INSERT = `
  insert into proof (run_id, playout_id, screen_id, request_id, item_id, kind, pop, shown_wall, requested_wall,
    requested_monotonic, requested_boot, service_offset, timeline, due, deadline)
  values (@runId, @playoutId, @screenId, @requestId, @itemId, @kind, @pop, @shownWall, @requestedWall,
    @requestedAt, @bootId, @serviceOffset, @bootId, @shownAt, @deadline)
  on conflict (run_id, playout_id) do nothing`;

// The plus signs keep SQLite from an index by which it would have to sort all that is due for a handful of rows.
const DUE = `
  select ${COLUMNS} from proof
  where state = 'owed' and (attempts > 0) = @tried and deadline > @now
    and +timeline = @bootId and +due <= @now and ${NOT_EXCEPTED}
  order by deadline limit @limit`;

const NEXT = `
  select min(at) as at from (
    select min(due) as at from proof where state = 'owed' and timeline = @bootId and due > @now
    union all
    select min(deadline) from proof
    where state = 'owed' and (attempts > 0) = 0 and +timeline = @bootId and ${NOT_EXCEPTED}
    union all
    select min(deadline) from proof
    where state = 'owed' and (attempts > 0) = 1 and +timeline = @bootId and ${NOT_EXCEPTED}
  )`;

const RETRY = `
  update proof set attempts = attempts + 1, due = @due, last_answer = @answer where id = @id and state = 'owed'`;
const CLOSE = `
  update proof set attempts = attempts + 1, state = @state, last_answer = @answer, settled_wall = @wall
  where id = @id and state = 'owed'`;

const EXPIRE = `
  update proof set state = 'expired', settled_wall = @wall
  where state = 'owed' and (attempts > 0) in (0, 1) and deadline <= @now and +timeline = @bootId and ${NOT_EXCEPTED}
  returning ${COLUMNS}`;
const EXPIRE_ADRIFT = `
  update proof set state = 'expired', settled_wall = @wall
  where state = 'owed' and timeline <> @bootId
  returning ${COLUMNS}`;

const COUNT_ADRIFT = "select count(*) as count from proof where state = 'owed' and timeline <> ?";
const ADRIFT = `
  select id, requested_wall + service_offset as requested from proof where state = 'owed' and timeline <> ?`;
const CARRY_OVER = "update proof set timeline = @bootId, due = @now, deadline = @deadline where id = @id";

const COUNT = "select state, count(*) as count from proof group by state";
const OLDEST = "select min(requested_wall + service_offset) as requested from proof where state = 'owed'";
const PRUNE = "delete from proof where state <> 'owed' and shown_wall + service_offset < ?";
