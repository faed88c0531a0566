import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Waits before each measurement until nothing else keeps the machine busy, and remembers where that did not help. */
export interface Quiet {
  /** Resolves when the machine has been idle for a second, or has been waited for long enough. */
  wait(): Promise<void>;
  /** How many measurements began so far, and how many of them on a busy machine. */
  starts(): Starts;
}

export interface Starts {
  readonly all: number;
  readonly busy: number;
}

/** Processor time since the machine was started, of all cores, in the kernel's ticks. */
export interface Ticks {
  readonly idle: number;
  readonly all: number;
}

/** More of all cores than this, and something else is running. */
const BUSY_SHARE = 0.08;
const LOOK_MS = 1_000;
/** Somebody who works on the machine meanwhile is not waited for. */
const WAIT_MS = 30_000;

export function quietMachine(signal: AbortSignal): Quiet {
  let [all, busy] = [0, 0];
  return {
    async wait() {
      all++;
      const until = performance.now() + WAIT_MS;
      while (await isBusy(signal)) {
        if (performance.now() < until) continue;
        busy++;
        return;
      }
    },
    starts: () => ({ all, busy }),
  };
}

/** A sentence for people; empty when every measurement began on a machine that was quiet. */
export function remarkOn({ all, busy }: Starts): string {
  return busy === 0 ? "" : `${busy} of ${all} measurements began on a machine busy with something else.`;
}

/** The share of all cores that was in use between two readings. */
export function busyShare(before: Ticks, after: Ticks): number {
  const all = after.all - before.all;
  return all === 0 ? 0 : 1 - (after.idle - before.idle) / all;
}

/** Reads the first line of proc(5)'s stat: user, nice, system, idle, iowait, then interrupts and the like. */
export function readTicks(line: string): Ticks {
  const ticks = line.trim().split(/\s+/).slice(1).map(Number);
  const [, , , idle = 0, waiting = 0] = ticks;
  // The last two, of guests, are in user and nice already.
  return { idle: idle + waiting, all: ticks.slice(0, 8).reduce((sum, value) => sum + value, 0) };
}

async function isBusy(signal: AbortSignal): Promise<boolean> {
  const before = ticksNow();
  await sleep(LOOK_MS, undefined, { signal });
  return busyShare(before, ticksNow()) > BUSY_SHARE;
}

function ticksNow(): Ticks {
  return readTicks(readFileSync("/proc/stat", "utf8").split("\n", 1)[0] ?? "");
}
