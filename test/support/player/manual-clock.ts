import type { Instant } from "../../../src/core/spot.ts";
import { NEVER, type SleepingClock } from "../../../src/player/clock.ts";

interface Alarm {
  readonly at: Instant;
  readonly ring: () => void;
}

/** 2026-01-01T00:00:00Z. */
const START_WALL = Date.UTC(2026, 0, 1);

/** How many turns of the event loop are given to what an alarm started: a chain of promises, a file, a loopback socket. */
const TURNS = 8;

/** A clock turned by hand. Monotonic time begins at 0 with each boot. */
export class ManualClock implements SleepingClock {
  bootId = "boot-1";
  #now: Instant = 0;
  #wallAhead: number;
  #alarms: Alarm[] = [];
  #listeners: ((sleptMs: number) => void)[] = [];

  constructor(wall: Instant = START_WALL) {
    this.#wallAhead = wall;
  }

  now(): Instant {
    return this.#now;
  }

  wall(): Instant {
    return this.#now + this.#wallAhead;
  }

  /** An alarm for a time that has come already rings soon, as the machine's do, and not within the call. */
  alarm(at: Instant, ring: () => void): () => void {
    const alarm = { at, ring };
    this.#alarms.push(alarm);
    if (at <= this.#now) setImmediate(() => this.#ringOne(this.#now));
    return () => {
      this.#alarms = this.#alarms.filter((other) => other !== alarm);
    };
  }

  /** Moves both clocks on, ringing alarms in their order, each at its own time and after the one before has settled. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.settle();
    while (this.#ringOne(end)) await this.settle();
    this.#now = end;
    await this.settle();
  }

  /** How long until the next alarm, in ms; endless where there is none. */
  untilAlarm(): number {
    return (this.#soonest()?.at ?? NEVER) - this.#now;
  }

  /** Lets everything run that waits for nothing but the event loop. */
  async settle(turns = TURNS): Promise<void> {
    for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate);
  }

  /** Sets the wall clock off by so much; monotonic time goes on as if nothing had happened. */
  jumpWall(ms: number): void {
    this.#wallAhead += ms;
  }

  onWake(listener: (sleptMs: number) => void): void {
    this.#listeners.push(listener);
  }

  look(): void {}

  /** The machine sleeps for so long: listeners are told, then both clocks have gone on, and what is due rings late. */
  async sleep(ms: number): Promise<void> {
    for (const listener of this.#listeners) listener(ms);
    this.#now += ms;
    await this.advance(0);
  }

  /** The process died and another begins: its alarms are gone, both clocks go on. */
  crash(): void {
    this.#alarms = [];
    this.#listeners = [];
  }

  /** The machine was off for so long: another boot, monotonic time from 0, alarms gone, the wall clock gone on. */
  reboot(offMs = 0): void {
    this.#wallAhead += this.#now + offMs;
    this.#now = 0;
    this.crash();
    this.bootId = `boot-${Number(this.bootId.slice("boot-".length)) + 1}`;
  }

  #soonest(): Alarm | null {
    return this.#alarms.reduce<Alarm | null>(
      (soonest, alarm) => (soonest === null || alarm.at < soonest.at ? alarm : soonest),
      null,
    );
  }

  #ringOne(until: Instant): boolean {
    const next = this.#soonest();
    if (next === null || next.at > until) return false;
    this.#alarms = this.#alarms.filter((alarm) => alarm !== next);
    this.#now = Math.max(this.#now, next.at);
    next.ring();
    return true;
  }
}
