import { PROOF_WINDOW_MS, rebasedDeadline } from "../../core/proofs/proof.ts";
import type { EndedPlayout } from "../../core/proofs/record.ts";
import type { Instant } from "../../core/spot.ts";
import { NEVER } from "../clock.ts";
import type { ClockReading } from "../service-clock.ts";
import { codeOf } from "../stores/database.ts";
import { type Day, type DayReport, type DeliveryCount, QUARTER_MS, reportOn } from "./day-report.ts";
import { HeldProofs, stateOf } from "./held-proofs.ts";
import { commitOwed, writeSettlement } from "./proof-commit.ts";
import type { ProofFile } from "./proof-file.ts";
import {
  KEPT_MS,
  type NewProof,
  type OwedProof,
  type Owing,
  type ProofCounts,
  type ProofState,
  type RefusedProof,
  type Settlement,
} from "./proof-records.ts";
import { type FileVersion, isSame, lastRefused, StateCounts, versionOf } from "./proof-sql.ts";

/** When something was asked for of which nothing is known. */
const LONG_AGO: Instant = 0;

/** More proofs than a player ever has. */
const BEYOND_ALL_IDS = 2 ** 50;

/**
 * The outbox of proofs, in a file that outlives the run. It is given that file and an id for this run of the player.
 * What the file cannot do at the moment is thrown with SQLite's code, except by `owe`.
 */
export class ProofStore {
  readonly #file: ProofFile;
  readonly #runId: string;
  readonly #stateCounts = new StateCounts();
  readonly #held = new HeldProofs();
  #seen: FileVersion | null = null;
  /** The ids of proofs that are committed, and that the disk has not been heard of yet. */
  readonly #unflushed = new Set<number>();
  #isDated = false;

  constructor(file: ProofFile, runId: string) {
    this.#file = file;
    this.#runId = runId;
  }

  /**
   * Commits a proof, what was counted until then, and the row of the playout record; when this returns "owed", the proof
   * survives the player's end, and so does the row unless it says otherwise. From `whenFlushed` on it survives a power cut, and
   * is due.
   */
  owe(
    proof: NewProof,
    reading: ClockReading,
    counted: readonly DeliveryCount[] = [],
    ended: EndedPlayout | null = null,
  ): Owing {
    const held = this.#held.get(proof.playoutId);
    try {
      const id = this.#file.use((statements) => {
        return commitOwed(statements, { proof, runId: this.#runId, reading, counted, ended, held });
      });
      this.#held.remove(proof.playoutId);
      if (id === null) return { kind: "known" };
      this.#stateCounts.move(null, held === null ? "owed" : stateOf(held), 1);
      this.#unflushed.add(id);
      this.whenFlushed(() => this.#unflushed.delete(id));
      return { kind: "owed" };
    } catch (error) {
      const code = codeOf(error);
      // The proof is owed whatever is wrong with the record. Another process that writes just now is done soon.
      if (ended !== null && !code?.startsWith("SQLITE_BUSY")) return this.#oweAlone(proof, reading, counted, error);
      if (code === null) throw error;
      return { kind: "unwritable", code };
    }
  }

  /** Keeps a proof that the disk refused in memory and sends it from there, until it is owed again and the disk takes it. */
  hold(proof: NewProof, reading: ClockReading): void {
    if (this.#held.get(proof.playoutId) === null) this.#held.add(proof, this.#runId, this.#lastId(), reading);
  }

  /** Gives up a proof that is held. */
  letGo({ playoutId }: Pick<NewProof, "playoutId">): void {
    this.#held.remove(playoutId);
  }

  /**
   * At most `limit` proofs that may be sent at `reading`, soonest deadline first: those never tried, or those tried
   * before; without those named in `except`, and those that a power cut would take.
   */
  due(
    { bootId, now }: ClockReading,
    tried: "never" | "before",
    limit: number,
    except: readonly number[],
  ): readonly OwedProof[] {
    const query = { bootId, now, limit, except: JSON.stringify([...except, ...this.#unflushed]) };
    const held = this.#held.due(now, tried, except);
    try {
      const stored = this.#file.use((statements) => statements[tried === "never" ? "untried" : "tried"].all(query));
      if (held.length === 0) return stored;
      return [...stored, ...held].sort((one, other) => one.deadline - other.deadline).slice(0, limit);
    } catch (error) {
      // What is held is sent though nothing can be read.
      if (this.#held.size === 0 || codeOf(error) === null) throw error;
      return held.slice(0, limit);
    }
  }

  /** The next instant at which a proof of this boot falls due or runs out, or null where none is owed. */
  nextAt({ bootId, now }: ClockReading): Instant | null {
    const stored = this.#file.use(({ next }) => next.get({ bootId, now }))?.at ?? NEVER;
    const at = Math.min(stored, this.#held.nextAt(now));
    return at === NEVER ? null : at;
  }

  /** Whether anybody else has changed the file, or it is another, since this was asked last. */
  changedByOthers(): boolean {
    const before = this.#seen;
    this.#seen = this.#file.use(versionOf);
    return !isSame(before, this.#seen);
  }

  /** Notes in memory what became of tries of proofs that are held, and returns those. */
  settleHeld(settlements: readonly Settlement[], reading: ClockReading): readonly Settlement[] {
    return settlements.filter((settlement) => this.#held.settle(settlement, reading));
  }

  /** Records what became of tries of all others, in one commit. */
  settle(settlements: readonly Settlement[], reading: ClockReading): void {
    const closed: ProofState[] = [];
    this.#file.use((statements) => {
      closed.length = 0;
      statements.inOneCommit(() => {
        for (const settlement of settlements) {
          const { kind } = settlement.verdict;
          if (writeSettlement(statements, settlement, reading) && kind !== "retry") closed.push(kind);
        }
      });
    });
    for (const state of closed) this.#stateCounts.move("owed", state, 1);
  }

  /** Ends the hour for what is owed too late, and returns it (G9). */
  expire(reading: ClockReading, except: readonly number[]): readonly OwedProof[] {
    const { bootId, now, wall } = reading;
    const query = { bootId, now, except: JSON.stringify(except) };
    const expired = this.#file.use(({ overdue, expire }) =>
      // Looked for first: a store that cannot be written need not fail as long as there is nothing to write.
      overdue.get(query) === undefined ? [] : expire.all({ ...query, wall }),
    );
    this.#stateCounts.move("owed", "expired", expired.length);
    return [...expired, ...this.#held.expire(reading, except)];
  }

  /** How many proofs are owed from before this boot and not yet carried over to its clock. */
  owedFromEarlierBoots(bootId: string): number {
    return this.#file.use(({ fromEarlierBoots }) => fromEarlierBoots.all(bootId)).length;
  }

  /**
   * Carries proofs from before this boot over to its clock, due at once, by the service's time: the latest that it can be, so
   * that none is sent late. `begunAt`: when this run began, monotonic; each of them was asked for before. One whose boot ended
   * before it was dated was asked for after the one before it: what is left of that one's hour is all that it surely has.
   */
  rebase(reading: ClockReading & { readonly service: Instant }, begunAt: Instant): void {
    const { bootId, now, service, serviceWithinMs } = reading;
    const latest = service + (serviceWithinMs ?? 0);
    const isTold = isServiceTimeTold(reading);
    this.#file.use(({ fromEarlierBoots, datedBefore, rebase, inOneCommit }) =>
      inOneCommit(() => {
        for (const { id, requested, isDated } of fromEarlierBoots.all(bootId)) {
          const since = isDated === 1 || !isTold ? requested : (datedBefore.get(id)?.requested ?? LONG_AGO);
          rebase.run({ id, deadline: rebasedDeadline(since, latest, now, begunAt), bootId, now });
        }
      }),
    );
  }

  /**
   * Dates by the service's clock, once that is known, what was shown in this boot before. The machine's own may have begun in
   * 1970: such a proof would be forgotten as an old one, be in no day's report, and be over its hour after the next boot.
   */
  date(reading: ClockReading): void {
    const { bootId, now, service, serviceWithinMs } = reading;
    if (this.#isDated || service === null) return;
    const withinMs = serviceWithinMs ?? 0;
    if (isServiceTimeTold(reading)) this.#file.use(({ date }) => date.run({ bootId, now, service, withinMs }));
    this.#isDated = true;
  }

  /** Ends the hour for all that is owed from before this boot, and returns it: for when it must be over by any clock. */
  expireFromEarlierBoots({ bootId, wall }: ClockReading): readonly OwedProof[] {
    const expired = this.#file.use(({ expireFromEarlierBoots: expire }) => expire.all({ bootId, wall }));
    this.#stateCounts.move("owed", "expired", expired.length);
    return expired;
  }

  /** Makes all that waits for its next try due now; the process that sends notices it (`Courier`). Returns how many. */
  retryAll(): number {
    return this.#file.use(({ retryAll }) => retryAll.run()).changes;
  }

  /** How many there are of each state, those included that are held. */
  counts(): ProofCounts {
    const { states, oldest } = this.#held.counts();
    return this.#file.use((statements) => {
      const requested = Math.min(statements.oldest.get()?.requested ?? NEVER, oldest);
      const stored = this.#stateCounts.in(statements);
      return {
        owed: stored.owed + states.owed,
        delivered: stored.delivered + states.delivered,
        refused: stored.refused + states.refused,
        expired: stored.expired + states.expired,
        oldestDeadline: requested === NEVER ? null : requested + PROOF_WINDOW_MS,
      };
    });
  }

  /** The refused proof whose item was shown last, or null. */
  lastRefused(): RefusedProof | null {
    return this.#file.use(({ refused }) => lastRefused(refused, null));
  }

  /** When an item of this screen was last shown whose proof was delivered, by the service's clock; null where none is known. */
  lastDelivered(screenId: string): Instant | null {
    return this.#file.use(({ lastDelivered }) => lastDelivered.get(screenId))?.shownAt ?? null;
  }

  /**
   * Forgets what was settled and shown longer ago than it is kept, by the service's time, and returns how many: at most
   * `FORGOTTEN_AT_ONCE`, so that no commit holds up the loop.
   */
  prune(serviceTime: Instant): number {
    const before = serviceTime - KEPT_MS;
    const forgotten = this.#file.use(({ forget, forgetDeliveryCounts }) => {
      forgetDeliveryCounts.run({ quarter: Math.floor(before / QUARTER_MS) });
      return forget.run({ before }).changes;
    });
    if (forgotten > 0) this.#stateCounts.forget();
    return forgotten;
  }

  /** Adds to what was counted, in one commit. */
  addCounts(counts: readonly DeliveryCount[]): void {
    this.#file.use(({ addDeliveryCount, inOneCommit }) =>
      inOneCommit(() => {
        for (const count of counts) addDeliveryCount.run(count);
      }),
    );
  }

  /** Adds up a day, which may be today. */
  report(day: Day): DayReport {
    const { from, until } = day;
    return this.#file.use(({ reported, deliveryCounts }) =>
      reportOn(day, reported.all({ from, until }), deliveryCounts.all({ from, until })),
    );
  }

  /** Acts once what was committed until now survives a power cut, or the disk has failed, or takes too long. */
  whenFlushed(act: () => void): void {
    this.#file.whenFlushed(act);
  }

  close(): void {
    this.#file.close();
  }

  /** The largest id in the store, or one beyond all of them where it cannot be read. */
  #lastId(): number {
    try {
      return this.#file.use(({ lastId }) => lastId.get())?.id ?? 0;
    } catch (error) {
      if (codeOf(error) === null) throw error;
      return BEYOND_ALL_IDS;
    }
  }

  #oweAlone(proof: NewProof, reading: ClockReading, counted: readonly DeliveryCount[], error: unknown): Owing {
    const owing = this.owe(proof, reading, counted);
    return owing.kind === "owed" ? { kind: "owed", unrecorded: codeOf(error) ?? String(error) } : owing;
  }
}

/** A service that tells no time is taken to agree with this machine. */
function isServiceTimeTold({ service, wall }: ClockReading): boolean {
  return service !== wall;
}
