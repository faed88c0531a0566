import type { SimulatedTime } from "./time.ts";

/**
 * Puts the platform's timers onto simulated time, for code that uses them by their global names: time limits
 * and waits between tries then take no time at all. The function it returns puts the real ones back.
 */
export function simulateTimers(time: SimulatedTime): () => void {
  const real = {
    setTimeout: globalThis.setTimeout,
    clearTimeout: globalThis.clearTimeout,
    timeout: AbortSignal.timeout,
  };
  const set = (ring: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
    new SimulatedTimer(time, ms, () => ring(...args));
  globalThis.setTimeout = set as unknown as typeof setTimeout;
  globalThis.clearTimeout = ((timer: unknown) => {
    if (timer instanceof SimulatedTimer) timer.clear();
    else real.clearTimeout(timer as NodeJS.Timeout);
  }) as typeof clearTimeout;
  AbortSignal.timeout = (ms) => {
    const control = new AbortController();
    time.alarm(time.now() + ms, () => control.abort(new DOMException("time is up", "TimeoutError")));
    return control.signal;
  };
  return () => {
    globalThis.setTimeout = real.setTimeout;
    globalThis.clearTimeout = real.clearTimeout;
    AbortSignal.timeout = real.timeout;
  };
}

/** Stands in for Node's `Timeout`. */
class SimulatedTimer {
  readonly #time: SimulatedTime;
  readonly #ms: number;
  readonly #ring: () => void;
  #callOff = () => {};

  constructor(time: SimulatedTime, ms: number, ring: () => void) {
    this.#time = time;
    // As Node does.
    this.#ms = ms >= 1 && ms <= 2 ** 31 - 1 ? ms : 1;
    this.#ring = ring;
    this.refresh();
  }

  refresh(): this {
    this.clear();
    this.#callOff = this.#time.alarm(this.#time.now() + this.#ms, this.#ring);
    return this;
  }

  clear(): void {
    this.#callOff();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}
