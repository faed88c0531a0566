import type { Logger } from "pino";
import { type Delivery, type FinalVerdict, judge, PROOF_WINDOW_MS } from "../../core/proof.ts";
import type { Instant } from "../../core/spot.ts";
import type { Clock } from "../clock.ts";
import { codeOf } from "../database.ts";
import type { ExclusiveLock } from "../exclusive-lock.ts";
import { NEVER, OneAlarm } from "../one-alarm.ts";
import type { Moment, ServiceClock } from "../service-clock.ts";
import { CourierReport, inWords } from "./courier-report.ts";
import { ProofLine } from "./proof-line.ts";
import type { OwedProof } from "./proof-records.ts";
import { FORGOTTEN_AT_ONCE } from "./proof-sql.ts";
import type { ProofStore } from "./proof-store.ts";
import { SENDS_AT_ONCE, Sends } from "./sends.ts";
import { Unwritten } from "./unwritten.ts";

export interface CourierParts {
  readonly store: ProofStore;
  /** Nothing is sent without it: another process that has it is the sender, until it ends. */
  readonly lock: Pick<ExclusiveLock, "take" | "release">;
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  /** One GET, with a time limit of its own. */
  readonly send: (pop: string, signal: AbortSignal) => Promise<Delivery>;
  /** Chance in [0, 1), for jitter only. */
  readonly dice: () => number;
  readonly log: Logger;
  /** Hears what became of a proof for good; `delivery` is the last answer, null where the hour ended without a try. */
  readonly onSettled?: (proof: OwedProof, verdict: FinalVerdict, delivery: Delivery | null) => void;
}

/** The wait after the store could not be read or written. */
const STORE_AGAIN_MS = 5_000;

/**
 * While anything is owed the store is looked at so often, for what others did to it: another player on the same folder
 * that owes, or an operator who wants everything tried now. Also how long a new sender waits for the one before to end.
 */
export const LOOK_EVERY_MS = 5_000;

/** How often settled proofs are looked for that have been kept long enough; and when there were too many at once. */
const PRUNE_EVERY_MS = 3_600_000;
const PRUNE_ON_MS = 1_000;

/**
 * The one sender of proofs (G8 to G10): soonest deadline first, none held up by another that hangs. As long as few wait
 * they go one by one, so that a crash repeats one at most; when many do, after an outage, several at once.
 */
export class Courier {
  readonly #parts: CourierParts;
  readonly #report: CourierReport;
  readonly #line = new ProofLine();
  readonly #sends = new Sends();
  readonly #unwritten = new Unwritten();
  readonly #alarm: OneAlarm;
  #state: "new" | "running" | "stopped" = "new";
  #begunAt: Instant = 0;
  #pruneAt: Instant = 0;
  /** When the store must be looked at again at the latest. */
  #lookAt: Instant = 0;
  /** When it must be seen whether others have changed the store. */
  #glanceAt: Instant = 0;
  /** There may be proofs from before this boot. */
  #adrift = true;
  /** SQLite's code of what failed in this turn, or null. */
  #trouble: string | null = null;
  #turnSoon = false;
  #recordingSoon = false;
  #whenQuiet: (() => void)[] = [];

  constructor(parts: CourierParts) {
    this.#parts = parts;
    this.#report = new CourierReport(parts.log);
    this.#alarm = new OneAlarm(parts.clock, () => this.#turn());
  }

  /** Sends what is owed, from this run and from those before it, until stopped. Once. */
  start(): void {
    if (this.#state !== "new") return;
    this.#state = "running";
    this.#begunAt = this.#parts.clock.now();
    this.#turn();
  }

  /** Tells that a proof was owed just now, or that the service told its time: what is due goes out before this returns. */
  notify(): void {
    this.#lookAt = 0;
    this.#turn();
  }

  /** Whether nothing is on its way and nothing is due. */
  get idle(): boolean {
    return this.#sends.size === 0 && !this.#line.waiting;
  }

  /**
   * Begins no more tries, and resolves when those under way have ended and are recorded: after a send's time limit at
   * most. When `hurry` is raised they are broken off, stay owed, and are sent again by the next run (G10).
   */
  async stop(hurry?: AbortSignal): Promise<void> {
    this.#state = "stopped";
    this.#alarm.set(NEVER);
    const breakOff = () => this.#sends.breakOff(STOPPED);
    if (hurry?.aborted) breakOff();
    hurry?.addEventListener("abort", breakOff, { once: true });
    if (this.#sends.size > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
    hurry?.removeEventListener("abort", breakOff);
    this.#withStore(() => this.#unwritten.write(this.#parts.store, this.#parts.serviceClock.moment()));
    this.#parts.lock.release();
  }

  /** Looks at the store where it must, sends what is due, has recorded what came in, and sets the alarm for the next turn. */
  #turn(): void {
    if (this.#state !== "running") return;
    const moment = this.#parts.serviceClock.moment();
    const { now } = moment;
    this.#trouble = null;
    if (!this.#isSender()) {
      this.#alarm.set(now + LOOK_EVERY_MS);
      return;
    }
    this.#sends.breakOffOverdue(now, HOUR_OVER);
    // One by one, each is recorded before the next goes out. While many wait, a commit would take as long as many GETs.
    if (!this.#line.many) this.#record(moment);
    if (now >= this.#glanceAt) this.#glance(now);
    if (now >= this.#lookAt || this.#line.spent) {
      // Each by itself: a disk that takes nothing keeps what is in the store from being changed, not from being sent.
      this.#withStore(() => this.#carryOver(moment));
      this.#withStore(() => this.#look(moment));
      this.#withStore(() => this.#tidy(moment));
      this.#report.store(this.#trouble);
      if (this.#trouble !== null) this.#lookAt = now + STORE_AGAIN_MS;
    }
    this.#fill(moment);
    // What was begun just now gets onto its way first: a commit holds everything up for as long as the disk takes.
    if (this.#unwritten.isTimeToWrite(now, this.#line.many)) this.#recordSoon();
    this.#alarm.set(this.#lookAt, this.#glanceAt, this.#unwritten.writeAt, this.#sends.nextAt(now, this.#line.waiting));
  }

  #recordSoon(): void {
    if (this.#recordingSoon) return;
    this.#recordingSoon = true;
    setImmediate(() => {
      this.#recordingSoon = false;
      if (this.#state !== "running") return;
      this.#record(this.#parts.serviceClock.moment());
      this.#alarm.add(Math.min(this.#lookAt, this.#unwritten.writeAt));
    });
  }

  #record(moment: Moment): void {
    if (!this.#unwritten.isTimeToWrite(moment.now, this.#line.many)) return;
    this.#trouble = null;
    const dueAt = this.#withStore(() => this.#unwritten.write(this.#parts.store, moment));
    this.#report.store(this.#trouble);
    if (dueAt === null) this.#unwritten.postpone(moment.now);
    // There may be nothing owed any more, which ends the looking.
    else this.#lookAt = Math.min(this.#lookAt, dueAt, moment.now + LOOK_EVERY_MS);
  }

  #isSender(): boolean {
    const isSender = this.#withStore(() => this.#parts.lock.take());
    if (isSender === null) this.#report.store(this.#trouble);
    else this.#report.sender(isSender);
    return isSender === true;
  }

  #glance(now: Instant): void {
    this.#glanceAt = now + LOOK_EVERY_MS;
    if (this.#withStore(() => this.#parts.store.changedByOthers()) !== false) this.#lookAt = 0;
  }

  #look(moment: Moment): void {
    const { now } = moment;
    const busy = this.#busy();
    this.#line.read(this.#parts.store, moment, busy, (proof) => this.#sends.isSlow(proof));
    // Where there is more that is due, the line runs out before anything else matters.
    const owedAt = this.#line.hasMore ? now + LOOK_EVERY_MS : this.#parts.store.nextAt(moment);
    this.#glanceAt = owedAt === null ? NEVER : Math.min(this.#glanceAt, now + LOOK_EVERY_MS);
    this.#lookAt = Math.min(owedAt ?? NEVER, this.#adrift ? this.#begunAt + PROOF_WINDOW_MS : NEVER);
  }

  #tidy(moment: Moment): void {
    this.#parts.store.expire(moment, this.#busy()).forEach(this.#expired);
    if (moment.now >= this.#pruneAt) this.#prune(moment);
    this.#lookAt = Math.min(this.#lookAt, this.#pruneAt);
  }

  #busy(): readonly number[] {
    return [...this.#sends.ids(), ...this.#unwritten.ids()];
  }

  #fill({ now }: Moment): void {
    for (;;) {
      const proof = this.#line.next(now, this.#sends.room(now, this.#line.many ? SENDS_AT_ONCE : 1));
      if (proof === null) return;
      void this.#attempt(proof, now);
    }
  }

  async #attempt(proof: OwedProof, now: Instant): Promise<void> {
    const control = this.#sends.begin(proof, now);
    let delivery: Delivery;
    try {
      delivery = await this.#parts.send(proof.pop, control.signal);
    } catch (error) {
      delivery = { kind: "unreachable", reason: error instanceof Error ? error.name : "unknown", retryAfterMs: null };
    }
    this.#sends.end(proof, this.#parts.clock.now());
    // A try that was broken off says nothing about the service, and nothing is recorded; unless it was accepted.
    if (control.signal.reason !== STOPPED || delivery.kind === "accepted") this.#conclude(proof, delivery);
    this.#turnWhenSettled();
  }

  #conclude(proof: OwedProof, delivery: Delivery): void {
    const { clock, dice, onSettled } = this.#parts;
    const tried = { attempts: proof.attempts + 1, deadline: proof.deadline };
    const verdict = judge(tried, delivery, clock.now(), dice());
    this.#unwritten.add({ proof, verdict, answer: inWords(delivery) }, clock.now());
    this.#report.tried(proof, delivery, verdict);
    if (verdict.kind === "retry") return;
    this.#sends.forget(proof);
    onSettled?.(proof, verdict, delivery);
  }

  /** Answers that come in together are written in one commit. */
  #turnWhenSettled(): void {
    if (this.#sends.size === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    if (this.#turnSoon) return;
    this.#turnSoon = true;
    setImmediate(() => {
      this.#turnSoon = false;
      this.#turn();
    });
  }

  /** Proofs from before this boot wait for the service's time, and end when their hour must be over by any clock. */
  #carryOver(moment: Moment): void {
    const { store } = this.#parts;
    if (!this.#adrift) return;
    const { service } = moment;
    if (service !== null) store.carryOver({ ...moment, service }, this.#begunAt);
    else if (moment.now >= this.#begunAt + PROOF_WINDOW_MS) store.expireAdrift(moment).forEach(this.#expired);
    this.#adrift = store.adrift(moment.bootId) > 0;
  }

  #prune({ now, service }: Moment): void {
    this.#pruneAt = now + PRUNE_EVERY_MS;
    if (service === null) return;
    if (this.#parts.store.prune(service) === FORGOTTEN_AT_ONCE) this.#pruneAt = now + PRUNE_ON_MS;
  }

  readonly #expired = (proof: OwedProof): void => {
    this.#sends.forget(proof);
    this.#report.expired(proof);
    this.#parts.onSettled?.(proof, { kind: "expired" }, null);
  };

  /** Does something with the store; null when that is full, busy or broken, which may pass. */
  #withStore<T>(act: () => T): T | null {
    try {
      return act();
    } catch (error) {
      this.#trouble = codeOf(error);
      if (this.#trouble === null) throw error;
      return null;
    }
  }
}

const STOPPED = new Error("the courier was stopped");
const HOUR_OVER = new Error("the hour is over");
