import type { Logger } from "pino";
import { type Delivery, type FinalVerdict, judge, PROOF_WINDOW_MS } from "../../core/proofs/proof.ts";
import {
  hasMore,
  isWaiting,
  NO_QUEUE,
  needsReload,
  nextDispatch,
  READ_AHEAD,
  readAnew,
  type SendQueue,
} from "../../core/proofs/proof-dispatch.ts";
import type { Instant } from "../../core/spot.ts";
import { type Clock, NEVER, Timer } from "../clock.ts";
import type { ExclusiveLock } from "../exclusive-lock.ts";
import type { ClockReading, ServiceClock } from "../service-clock.ts";
import { codeOf } from "../stores/database.ts";
import type { OwedProof } from "./proof-records.ts";
import { FORGOTTEN_AT_ONCE } from "./proof-sql.ts";
import type { ProofStore } from "./proof-store.ts";
import { CourierReport, InFlight, inWords, PendingResults } from "./sends.ts";

export interface CourierParts {
  readonly store: ProofStore;
  /** Nothing is sent without it: another process that has it is the sender, until it ends. */
  readonly lock: Pick<ExclusiveLock, "take" | "release">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  /** One GET, with a time limit of its own. */
  readonly send: (pop: string, signal: AbortSignal) => Promise<Delivery>;
  /** Chance in [0, 1), for jitter only. */
  readonly random: () => number;
  readonly log: Logger;
  /** Hears what became of a proof for good; `delivery` is the last answer, null where the hour ended without a try. */
  readonly onSettled?: (proof: OwedProof, verdict: FinalVerdict, delivery: Delivery | null) => void;
}

/** The wait after the store could not be read or written. */
const STORE_AGAIN_MS = 5_000;

/**
 * How often the store is looked at while anything is owed, for what others did to it: another player on the same folder
 * that owes, or an operator who wants everything tried now. Also how long a new sender waits for the one before to end.
 */
export const LOOK_EVERY_MS = 5_000;

/** How often settled proofs are looked for that have been kept long enough; and when there were too many at once. */
const PRUNE_EVERY_MS = 3_600_000;
const PRUNE_ON_MS = 1_000;

/**
 * The one sender of proofs (G8 to G10): soonest deadline first, none held up by another that hangs. What is sent when is
 * decided by `nextDispatch`; here it is carried out, and what comes of it is recorded.
 */
export class Courier {
  readonly #parts: CourierParts;
  readonly #report: CourierReport;
  readonly #inFlight = new InFlight();
  readonly #pending = new PendingResults();
  readonly #timer: Timer;
  #state: "new" | "running" | "stopped" = "new";
  #queue: SendQueue<OwedProof> = NO_QUEUE;
  #begunAt: Instant = 0;
  #pruneAt: Instant = 0;
  /** When the store must be read again at the latest. */
  #readAt: Instant = 0;
  /** When it must be seen whether others have changed the store. */
  #checkAt: Instant = 0;
  #mayOweFromEarlierBoots = true;
  /** SQLite's code of what failed in this turn, or null. */
  #storeError: string | null = null;
  #turnSoon = false;
  #recordingSoon = false;
  #whenQuiet: (() => void)[] = [];
  #stopListening = () => {};

  constructor(parts: CourierParts) {
    this.#parts = parts;
    this.#report = new CourierReport(parts.log);
    this.#timer = new Timer(parts.clock, () => this.#turn());
  }

  /** Sends what is owed, from this run and from those before it, until stopped. Once. */
  start(): void {
    if (this.#state !== "new") return;
    this.#state = "running";
    this.#begunAt = this.#parts.clock.now();
    // A screen that asks for no spots may learn the service's time all the same: proofs from before a boot wait for it.
    this.#stopListening = this.#parts.serviceClock.listen(() => this.notify());
    this.#turn();
  }

  /** Tells that a proof was owed just now, or that the clocks have moved: what is due goes out before this returns. */
  notify(): void {
    this.#readAt = 0;
    this.#turn();
  }

  /** Whether nothing is under way and nothing is due. */
  get idle(): boolean {
    const now = this.#parts.clock.now();
    const isResendDue = this.#pending.resends().some(({ at }) => at <= now);
    return this.#inFlight.size === 0 && !isWaiting(this.#queue) && !isResendDue;
  }

  /**
   * Begins no more tries, and resolves when those under way have ended and are recorded: after a send's time limit at
   * most. When `hurry` is raised they are broken off, stay owed, and are sent again by the next run (G10).
   */
  async stop(hurry?: AbortSignal): Promise<void> {
    this.#state = "stopped";
    this.#stopListening();
    this.#timer.set(NEVER);
    const breakOff = () => this.#inFlight.abort(this.#inFlight.ids(), STOPPED);
    if (hurry?.aborted) breakOff();
    hurry?.addEventListener("abort", breakOff, { once: true });
    if (this.#inFlight.size > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
    hurry?.removeEventListener("abort", breakOff);
    this.#withStore(() => this.#pending.write(this.#parts.store, this.#parts.serviceClock.read()));
    this.#parts.lock.release();
  }

  /** Reads the store where it must, sends what is due, has recorded what came in, and sets the timer for the next turn. */
  #turn(): void {
    if (this.#state !== "running") return;
    const reading = this.#parts.serviceClock.read();
    const { now } = reading;
    this.#storeError = null;
    if (!this.#isSender()) {
      this.#timer.set(now + LOOK_EVERY_MS);
      return;
    }
    this.#pending.expire(now).forEach(this.#expired);
    // One by one, each is recorded before the next goes out. While many wait, a commit would take as long as many GETs.
    if (!this.#queue.isBacklogged) this.#record(reading);
    if (now >= this.#checkAt) this.#detectForeignChanges(now);
    if (now >= this.#readAt || needsReload(this.#queue)) this.#readStore(reading);
    const lookAgainAt = this.#dispatch(now);
    // What was begun just now gets onto its way first: a commit holds everything up for as long as the disk takes.
    if (this.#pending.isTimeToWrite(now, this.#queue.isBacklogged)) this.#recordSoon();
    this.#timer.set(this.#readAt, this.#checkAt, this.#pending.writeAt, lookAgainAt);
  }

  /** Carries out what the core decides; answers with when it is to be asked again. */
  #dispatch(now: Instant): Instant {
    const { requests: underWay, slow } = this.#inFlight;
    const state = { queue: this.#queue, resends: this.#pending.resends(), underWay, slow };
    const { send, abort, queue, lookAgainAt } = nextDispatch(state, now);
    this.#queue = queue;
    this.#inFlight.abort(abort, HOUR_OVER);
    for (const proof of send) void this.#attempt(proof, now);
    return lookAgainAt;
  }

  #recordSoon(): void {
    if (this.#recordingSoon) return;
    this.#recordingSoon = true;
    setImmediate(() => {
      this.#recordingSoon = false;
      if (this.#state !== "running") return;
      this.#record(this.#parts.serviceClock.read());
      this.#timer.add(Math.min(this.#readAt, this.#pending.writeAt));
    });
  }

  #record(reading: ClockReading): void {
    if (!this.#pending.isTimeToWrite(reading.now, this.#queue.isBacklogged)) return;
    this.#storeError = null;
    const dueAt = this.#withStore(() => this.#pending.write(this.#parts.store, reading));
    this.#report.store(this.#storeError);
    if (dueAt === null) this.#pending.postpone(reading.now);
    // There may be nothing owed any more, which ends the looking.
    else this.#readAt = Math.min(this.#readAt, dueAt, reading.now + LOOK_EVERY_MS);
  }

  #isSender(): boolean {
    const isSender = this.#withStore(() => this.#parts.lock.take());
    this.#report.lock(isSender === null ? this.#storeError : null);
    if (isSender !== null) this.#report.sender(isSender);
    return isSender === true;
  }

  #detectForeignChanges(now: Instant): void {
    this.#checkAt = now + LOOK_EVERY_MS;
    if (this.#withStore(() => this.#parts.store.changedByOthers()) !== false) this.#readAt = 0;
  }

  #readStore(reading: ClockReading): void {
    // Each by itself: a disk that takes nothing keeps what is in the store from being changed, not from being sent.
    this.#withStore(() => this.#parts.store.date(reading));
    this.#withStore(() => this.#rebase(reading));
    this.#withStore(() => this.#readQueue(reading));
    this.#withStore(() => this.#expireAndPrune(reading));
    // To be read is not to work: a read-only disk takes nothing.
    if (this.#storeError !== null || !this.#pending.isPostponed) this.#report.store(this.#storeError);
    if (this.#storeError !== null) this.#readAt = reading.now + STORE_AGAIN_MS;
  }

  #readQueue(reading: ClockReading): void {
    const { store } = this.#parts;
    const { now } = reading;
    const busy = this.#busy();
    const fresh = store.due(reading, "never", READ_AHEAD, busy);
    const tried = store.due(reading, "before", READ_AHEAD, busy);
    this.#queue = readAnew(this.#queue, fresh, tried);
    // Where there is more that is due, the queue runs out before anything else matters.
    const owedAt = hasMore(this.#queue) ? now + LOOK_EVERY_MS : store.nextAt(reading);
    this.#checkAt = owedAt === null ? NEVER : Math.min(this.#checkAt, now + LOOK_EVERY_MS);
    this.#readAt = Math.min(owedAt ?? NEVER, this.#mayOweFromEarlierBoots ? this.#begunAt + PROOF_WINDOW_MS : NEVER);
  }

  #expireAndPrune(reading: ClockReading): void {
    this.#parts.store.expire(reading, this.#busy()).forEach(this.#expired);
    if (reading.now >= this.#pruneAt) this.#prune(reading);
    this.#readAt = Math.min(this.#readAt, this.#pruneAt);
  }

  #busy(): readonly number[] {
    return [...this.#inFlight.ids(), ...this.#pending.ids()];
  }

  async #attempt(proof: OwedProof, now: Instant): Promise<void> {
    this.#pending.noteBegun(proof);
    const control = this.#inFlight.begin(proof, now);
    let delivery: Delivery;
    try {
      delivery = await this.#parts.send(proof.pop, control.signal);
    } catch (error) {
      delivery = { kind: "unreachable", reason: error instanceof Error ? error.name : "unknown", retryAfterMs: null };
    }
    this.#inFlight.end(proof, this.#parts.clock.now());
    // A try that was broken off says nothing about the service, and nothing is recorded; unless it was accepted.
    if (control.signal.reason !== STOPPED || delivery.kind === "accepted") this.#conclude(proof, delivery);
    this.#turnWhenSettled();
  }

  #conclude(proof: OwedProof, delivery: Delivery): void {
    const { clock, random, onSettled } = this.#parts;
    const now = clock.now();
    const tried = { attempts: proof.attempts + 1, deadline: proof.deadline, doubt: this.#inFlight.doubtOf(proof) };
    const verdict = judge(tried, delivery, now, random());
    if (delivery.kind === "doubtful") this.#inFlight.noteDoubt(proof, delivery.status, now);
    this.#pending.add({ proof, verdict, answer: inWords(delivery) }, now);
    this.#report.tried(proof, delivery, verdict);
    if (verdict.kind === "retry") return;
    this.#inFlight.forget(proof);
    onSettled?.(proof, verdict, delivery);
  }

  /** Answers that come in together are written in one commit. */
  #turnWhenSettled(): void {
    if (this.#inFlight.size === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    if (this.#turnSoon) return;
    this.#turnSoon = true;
    setImmediate(() => {
      this.#turnSoon = false;
      this.#turn();
    });
  }

  /** Proofs from before this boot wait for the service's time, and end when their hour must be over by any clock. */
  #rebase(reading: ClockReading): void {
    const { store } = this.#parts;
    if (!this.#mayOweFromEarlierBoots) return;
    const { service } = reading;
    if (service !== null) store.rebase({ ...reading, service }, this.#begunAt);
    else if (reading.now >= this.#begunAt + PROOF_WINDOW_MS)
      store.expireFromEarlierBoots(reading).forEach(this.#expired);
    this.#mayOweFromEarlierBoots = store.owedFromEarlierBoots(reading.bootId) > 0;
  }

  #prune({ now, service }: ClockReading): void {
    this.#pruneAt = now + PRUNE_EVERY_MS;
    if (service === null) return;
    if (this.#parts.store.prune(service) === FORGOTTEN_AT_ONCE) this.#pruneAt = now + PRUNE_ON_MS;
  }

  readonly #expired = (proof: OwedProof): void => {
    this.#inFlight.forget(proof);
    this.#report.expired(proof);
    this.#parts.onSettled?.(proof, { kind: "expired" }, null);
  };

  /** Does something with the store; null when that is full, busy or broken, which may pass. */
  #withStore<T>(act: () => T): T | null {
    try {
      return act();
    } catch (error) {
      this.#storeError = codeOf(error);
      if (this.#storeError === null) throw error;
      return null;
    }
  }
}

const STOPPED = new Error("the courier was stopped");
const HOUR_OVER = new Error("the hour is over");
