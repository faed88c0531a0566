import type { Logger } from "pino";
import { type Delivery, judge, PROOF_WINDOW_MS, type Verdict } from "../core/proof.ts";
import type { Instant } from "../core/spot.ts";
import type { Clock } from "./clock.ts";
import { CourierReport, inWords } from "./courier-report.ts";
import { codeOf } from "./database.ts";
import type { OwedProof, ProofStore, Settlement } from "./proof-store.ts";
import type { Moment, ServiceClock } from "./service-clock.ts";

export interface CourierParts {
  readonly store: ProofStore;
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

export type FinalVerdict = Exclude<Verdict, { kind: "retry" }>;

/** So many proofs are on their way at once: enough to work off an outage of an hour in seconds. */
export const SENDS_AT_ONCE = 8;

/** So many of them may be second or later tries: URLs that hang must not delay a proof that was never tried. */
export const RETRIES_AT_ONCE = 6;

/** The wait after the store could not be read or written. */
const STORE_AGAIN_MS = 5_000;

/** How often settled proofs are looked for that have been kept long enough. */
const PRUNE_EVERY_MS = 3_600_000;

/** The one sender of proofs (G8 to G10): several at once, soonest deadline first, none held up by another that hangs. */
export class Courier {
  readonly #parts: CourierParts;
  readonly #report: CourierReport;
  readonly #underWay = new Map<number, UnderWay>();
  /** What came of tries and is not in the store yet: not sent again, whatever the store says. */
  #unwritten: Settlement[] = [];
  #state: "new" | "running" | "stopped" = "new";
  #begunAt: Instant = 0;
  #pruneAt: Instant = 0;
  /** There may be proofs from before this boot. */
  #adrift = true;
  #turnSoon = false;
  #callOffAlarm = () => {};
  #whenQuiet: (() => void)[] = [];

  constructor(parts: CourierParts) {
    this.#parts = parts;
    this.#report = new CourierReport(parts.log);
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
    this.#turn();
  }

  /**
   * Begins no more tries, and resolves when those under way have ended and are recorded: after a send's time limit at
   * most. When `hurry` is raised they are broken off, stay owed, and are sent again by the next run (G10).
   */
  async stop(hurry?: AbortSignal): Promise<void> {
    this.#state = "stopped";
    this.#callOffAlarm();
    const breakOff = () => {
      for (const { control } of this.#underWay.values()) control.abort(STOPPED);
    };
    if (hurry?.aborted) breakOff();
    hurry?.addEventListener("abort", breakOff, { once: true });
    if (this.#underWay.size > 0) await new Promise<void>((resolve) => this.#whenQuiet.push(resolve));
    hurry?.removeEventListener("abort", breakOff);
    this.#withStore(() => this.#write(this.#parts.serviceClock.moment()));
  }

  /** One look at the store: records what came in, ends what is over, sends what is due, sets the alarm for the next. */
  #turn(): void {
    if (this.#state !== "running") return;
    this.#callOffAlarm();
    const moment = this.#parts.serviceClock.moment();
    const nextAt = this.#withStore(() => {
      this.#write(moment);
      this.#carryOver(moment);
      this.#parts.store.expire(moment, this.#busy()).forEach(this.#expired);
      for (const proof of this.#choose(moment)) void this.#attempt(proof);
      this.#prune(moment);
      return this.#nextAt(moment);
    });
    this.#callOffAlarm = this.#parts.clock.alarm(nextAt ?? moment.now + STORE_AGAIN_MS, () => this.#turn());
  }

  #busy(): readonly number[] {
    return [...this.#underWay.keys(), ...this.#unwritten.map(({ id }) => id)];
  }

  #choose(moment: Moment): readonly OwedProof[] {
    const { store } = this.#parts;
    const busy = this.#busy();
    const free = SENDS_AT_ONCE - this.#underWay.size;
    const retries = [...this.#underWay.values()].filter(({ proof }) => proof.attempts > 0).length;
    const first = store.due(moment, "never", free, busy);
    const again = store.due(moment, "before", Math.min(free, RETRIES_AT_ONCE - retries), busy);
    return [...first, ...again].sort((one, other) => one.deadline - other.deadline).slice(0, free);
  }

  async #attempt(proof: OwedProof): Promise<void> {
    const { clock, send } = this.#parts;
    const control = new AbortController();
    this.#underWay.set(proof.id, { proof, control });
    const callOffDeadline = clock.alarm(proof.deadline, () => control.abort(HOUR_OVER));
    let delivery: Delivery;
    try {
      delivery = await send(proof.pop, control.signal);
    } catch (error) {
      delivery = { kind: "unreachable", reason: error instanceof Error ? error.name : "unknown", retryAfterMs: null };
    }
    callOffDeadline();
    this.#underWay.delete(proof.id);
    // A try that was broken off says nothing about the service, and nothing is recorded; unless it was accepted.
    if (control.signal.reason !== STOPPED || delivery.kind === "accepted") this.#conclude(proof, delivery);
    this.#turnWhenSettled();
  }

  #conclude(proof: OwedProof, delivery: Delivery): void {
    const { clock, dice, onSettled } = this.#parts;
    const tried = { attempts: proof.attempts + 1, deadline: proof.deadline };
    const verdict = judge(tried, delivery, clock.now(), dice());
    this.#unwritten.push({ id: proof.id, verdict, answer: inWords(delivery) });
    this.#report.tried(proof, delivery, verdict);
    if (verdict.kind !== "retry") onSettled?.(proof, verdict, delivery);
  }

  /** Answers that come in together are written in one commit. */
  #turnWhenSettled(): void {
    if (this.#underWay.size === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
    if (this.#turnSoon) return;
    this.#turnSoon = true;
    setImmediate(() => {
      this.#turnSoon = false;
      this.#turn();
    });
  }

  #write(moment: Moment): void {
    if (this.#unwritten.length === 0) return;
    this.#parts.store.settle(this.#unwritten, moment);
    this.#unwritten = [];
  }

  /** Proofs from before this boot wait for the service's time, and end when their hour must be over by any clock. */
  #carryOver(moment: Moment): void {
    const { store } = this.#parts;
    if (!this.#adrift) return;
    const { service } = moment;
    if (service !== null) store.carryOver({ ...moment, service }, this.#begunAt);
    else if (moment.now >= this.#adriftUntil()) store.expireAdrift(moment).forEach(this.#expired);
    this.#adrift = store.adrift(moment.bootId) > 0;
  }

  #adriftUntil(): Instant {
    return this.#adrift ? this.#begunAt + PROOF_WINDOW_MS : Number.POSITIVE_INFINITY;
  }

  #nextAt(moment: Moment): Instant {
    const owedAt = this.#parts.store.nextAt(moment, this.#busy()) ?? Number.POSITIVE_INFINITY;
    return Math.min(owedAt, this.#adriftUntil(), this.#pruneAt);
  }

  #prune(moment: Moment): void {
    if (moment.now < this.#pruneAt) return;
    this.#pruneAt = moment.now + PRUNE_EVERY_MS;
    if (moment.service !== null) this.#parts.store.prune(moment.service);
  }

  readonly #expired = (proof: OwedProof): void => {
    this.#report.expired(proof);
    this.#parts.onSettled?.(proof, { kind: "expired" }, null);
  };

  /** Does something with the store; null when that is full, busy or broken, which may pass. */
  #withStore<T>(act: () => T): T | null {
    try {
      const result = act();
      this.#report.store(null);
      return result;
    } catch (error) {
      const code = codeOf(error);
      if (code === null) throw error;
      this.#report.store(code);
      return null;
    }
  }
}

interface UnderWay {
  readonly proof: OwedProof;
  readonly control: AbortController;
}

const STOPPED = new Error("the courier was stopped");
const HOUR_OVER = new Error("the hour is over");
