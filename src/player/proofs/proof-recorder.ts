import type { Logger } from "pino";
import type { EndedPlayout } from "../../core/proofs/record.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import type { RecordDesk } from "../record/record-store.ts";
import type { ServiceClock } from "../service-clock.ts";
import { codeOf } from "../stores/database.ts";
import { type DeliveryCount, quarterOf } from "./day-report.ts";
import type { NewProof } from "./proof-records.ts";
import type { ProofStore } from "./proof-store.ts";

/** What a proof recorder is made of. */
interface ProofRecorderParts {
  readonly store: ProofStore;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  readonly log: Logger;
  /** Written in the same commit as the proof. */
  readonly stats?: Pick<DeliveryStats, "pending" | "written">;
  /** Gets the row of a proof that could only be written without it. */
  readonly records: Pick<RecordDesk, "add">;
  /** Called when all that is owed is on the disk, or that the disk refuses can be sent all the same. */
  readonly onOwed: () => void;
}

/** The wait before proofs that the disk would not take are tried again. */
const AGAIN_MS = 5_000;
/** More than an hour's worth of the shortest items: older ones are past their deadline anyway. */
const MOST_WAITING = 10_000;
/** So many of those that waited are committed at a time: a disk may have refused them for a day, and the screen must not wait. */
const COMMITTED_AT_ONCE = 20;

/** Commits each proof that is owed. What the disk cannot take now waits in memory, is sent from there, and is tried again. */
export class ProofRecorder {
  readonly #parts: ProofRecorderParts;
  readonly #waiting: { readonly proof: NewProof; readonly ended: EndedPlayout }[] = [];
  #refusing = false;
  #callOff = () => {};

  constructor(parts: ProofRecorderParts) {
    this.#parts = parts;
  }

  /** Commits the proof of a playout that was shown in full, and its row of the record: before it returns where the disk allows. */
  owe(ended: EndedPlayout): void {
    const { screenId, playout, endedAt: shownAt } = ended;
    const { requestId, requestedAt, item } = playout;
    const { kind, pop } = item;
    // Each screen counts its own playouts.
    const playoutId = `${screenId}/${playout.id}`;
    const proof = { playoutId, screenId, requestId, itemId: item.id, kind, pop, requestedAt, shownAt };
    this.#waiting.push({ proof, ended });
    const oldest = this.#waiting.length > MOST_WAITING ? this.#waiting.shift() : undefined;
    if (oldest !== undefined) this.#parts.store.letGo(oldest.proof);
    this.#commit();
  }

  /** Proofs that are in memory only. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Tries a last time what still waits. */
  close(): void {
    this.#commit(MOST_WAITING);
    this.#callOff();
  }

  #commit(most = COMMITTED_AT_ONCE): void {
    this.#callOff();
    const { store, clock, serviceClock, stats, records, onOwed } = this.#parts;
    for (let left = most; left > 0; left--) {
      const next = this.#waiting[0];
      if (next === undefined) return;
      const counts = stats?.pending() ?? [];
      const reading = serviceClock.read();
      const owing = store.owe(next.proof, reading, counts, next.ended);
      this.#note(owing.kind === "unwritable" ? owing.code : null);
      if (owing.kind === "unwritable") {
        for (const { proof } of this.#waiting) store.hold(proof, reading);
        this.#callOff = clock.alarm(clock.now() + AGAIN_MS, () => this.#commit());
        onOwed();
        return;
      }
      if (counts.length > 0) stats?.written();
      this.#waiting.shift();
      if (this.#waiting.length === 0) store.whenFlushed(onOwed);
      if (owing.kind === "owed" && owing.unrecorded !== undefined) records.add(next.ended);
    }
    if (this.#waiting.length > 0) this.#callOff = clock.alarm(clock.now(), () => this.#commit());
  }

  /** Only when it begins and when it ends: a disk can be full for days. */
  #note(code: string | null): void {
    const { log } = this.#parts;
    const waiting = this.#waiting.length;
    if (code !== null && !this.#refusing)
      log.error({ code, waiting }, "proofs cannot be written: they are sent from memory");
    if (code === null && this.#refusing) log.info({ waiting }, "proofs can be written again");
    this.#refusing = code !== null;
  }
}

/** What the delivery stats are made of. */
interface DeliveryStatsParts {
  readonly store: Pick<ProofStore, "addCounts">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
}

/** Counts are written with the next proof, or this long after: a crash loses no more of them. */
export const WRITTEN_WITHIN_MS = 60_000;

/** The most lines in memory that wait for the disk, or for the service's time; beyond that the oldest are dropped. */
const MOST_LINES = 10_000;

/**
 * Counts slots, fills and failures. Items shown in full are not counted here: each has its proof in the store.
 */
export class DeliveryStats {
  readonly #parts: DeliveryStatsParts;
  /** By minute of the monotonic clock: the service's time may be known only later. */
  readonly #lines = new Map<string, Omit<DeliveryCount, "quarter"> & { readonly at: Instant }>();
  #callOff: (() => void) | null = null;

  constructor(parts: DeliveryStatsParts) {
    this.#parts = parts;
  }

  count(what: DeliveryCount["what"], label = ""): void {
    const { clock } = this.#parts;
    const now = clock.now();
    const key = `${Math.floor(now / WRITTEN_WITHIN_MS)} ${what} ${label}`;
    const line = this.#lines.get(key);
    this.#lines.set(key, { at: now, what, label, count: (line?.count ?? 0) + 1 });
    for (const oldest of this.#lines.keys()) {
      if (this.#lines.size <= MOST_LINES) break;
      this.#lines.delete(oldest);
    }
    this.#callOff ??= clock.alarm(now + WRITTEN_WITHIN_MS, () => this.#turn());
  }

  /** Writes down what is left. */
  close(): void {
    this.#callOff?.();
    this.#write();
  }

  #turn(): void {
    this.#callOff = null;
    const { clock, serviceClock } = this.#parts;
    if (serviceClock.read().service !== null) this.#write();
    if (this.#lines.size > 0) this.#callOff = clock.alarm(clock.now() + WRITTEN_WITHIN_MS, () => this.#turn());
  }

  /** The counts that are not written yet, by the service's clock; none until that is known. */
  pending(): readonly DeliveryCount[] {
    const { service } = this.#parts.serviceClock.read();
    return service === null ? [] : this.#dated(service);
  }

  #dated(time: Instant): readonly DeliveryCount[] {
    const toService = time - this.#parts.clock.now();
    return [...this.#lines.values()].map(({ at, what, label, count }) => {
      return { quarter: quarterOf(at + toService), what, label, count };
    });
  }

  /** Notes that the pending counts are on the disk. */
  written(): void {
    this.#lines.clear();
  }

  #write(): void {
    if (this.#lines.size === 0) return;
    try {
      const { service, wall } = this.#parts.serviceClock.read();
      this.#parts.store.addCounts(this.#dated(service ?? wall));
      this.written();
    } catch (error) {
      // A disk that takes nothing now may do so later; the lines are kept.
      if (codeOf(error) === null) throw error;
    }
  }
}
