// Run by `watchStalls` as a process of its own, with the ids of the processes to watch, the player's first: notes every
// stall, and tells them as JSON when it is asked to end.
import { closeSync, openSync, readdirSync, readFileSync, readSync } from "node:fs";
import { descendants, fieldsOf } from "../machine/proc.ts";
import type { Stall } from "./stalls.ts";

const EVERY_MS = 5;
/** Timers are rounded to a millisecond and a little more; below this nothing was held up. */
const TIMER_ERROR_MS = 3;
/** How often the player's threads are asked how long they waited, and how often there are others. */
const SAMPLE_MS = 20;
const LOOK_MS = 250;
/** A page that starts a thousand workers would have this process do nothing but ask them. */
const MOST_THREADS = 400;
/** The kernel counts the time of all processors in hundredths of a second: less than so much is not to be told by it. */
const SPAN_SAMPLES = 5;
const MS_PER_TICK = 10;
/**
 * What makes the player's other processes (Chromium's zygote) makes none while the kernel has it wait, busily, for the threads
 * of one that ends. Otherwise it runs there for some milliseconds at a time, and never for so long within a span.
 */
const SPIN_MS = 30;
/** How much later what a process is made for may be drawn. */
const MADE_WITHIN_MS = 500;
/** The place of stolen time among a processor's times. */
const STEAL = 7;

const roots = process.argv.slice(2).map(Number);
const stalls: Stall[] = [];
const now = () => Number(process.hrtime.bigint()) / 1e6;

/** By how much this process comes late itself: what freezes the whole machine is not told by its own counters. */
let due = now() + EVERY_MS;
setInterval(() => {
  const at = now();
  if (at - due > TIMER_ERROR_MS) stalls.push({ from: due, to: at });
  due = at + EVERY_MS;
}, EVERY_MS);

/** A file that tells milliseconds so far. */
interface Counter {
  readonly file: number;
  ms: number;
}
/** How long each thread has waited for a processor. */
const threads = new Map<string, Counter>();
/** How long each process has run, with all its threads, those that ended too. */
const processes = new Map<string, Counter>();
/** How long each zygote has run in the kernel. */
const zygotes = new Map<string, Counter>();
/** Which processes were called zygotes at the last look: one that was just made is, too. */
let called: readonly number[] = [];
const bytes = Buffer.alloc(512);

function find(): void {
  const pids = roots.flatMap(descendants);
  for (const pid of pids) keep(processes, `/proc/${pid}/stat`, ranMs);
  const before = called;
  called = pids.filter(isCalledZygote);
  const paths = called.filter((pid) => before.includes(pid)).map((pid) => `/proc/${pid}/stat`);
  for (const path of paths) keep(zygotes, path, kernelMs);
  for (const path of zygotes.keys()) if (!paths.includes(path)) letGo(zygotes, path);
  for (const path of pids.flatMap(threadsOf)) if (threads.size < MOST_THREADS) keep(threads, path, waitedMs);
}

/** A file of /proc stays open, which costs less than to open it each time. */
function keep(counters: Map<string, Counter>, path: string, read: (file: number) => number | null): void {
  if (counters.has(path)) return;
  try {
    const file = openSync(path, "r");
    counters.set(path, { file, ms: read(file) ?? 0 });
  } catch {
    // It has ended in the meantime.
  }
}

/** By how much each counter went on since it was last asked; those that are gone are let go. */
function advances(counters: Map<string, Counter>, read: (file: number) => number | null): readonly number[] {
  return [...counters].flatMap(([path, counter]) => {
    const ms = read(counter.file);
    if (ms === null) {
      letGo(counters, path);
      return [];
    }
    const advance = ms - counter.ms;
    counter.ms = ms;
    return [advance];
  });
}

function letGo(counters: Map<string, Counter>, path: string): void {
  const counter = counters.get(path);
  if (counter !== undefined) closeSync(counter.file);
  counters.delete(path);
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map((tid) => `/proc/${pid}/task/${tid}/schedstat`);
  } catch {
    return [];
  }
}

/** proc(5), schedstat: nanoseconds on a processor, nanoseconds of waiting for one, and turns. */
function waitedMs(file: number): number | null {
  const waited = textOf(file)?.split(" ")[1];
  return waited === undefined ? null : Number(waited) / 1e6;
}

function isCalledZygote(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "latin1").includes("--type=zygote");
  } catch {
    return false;
  }
}

/** proc(5), stat: fields 14 and 15, as user and as kernel. */
function ranMs(file: number): number | null {
  const stat = textOf(file);
  return stat === null ? null : [11, 12].reduce((sum, field) => sum + Number(fieldsOf(stat)[field]) * MS_PER_TICK, 0);
}

/** The latter of the two. */
function kernelMs(file: number): number | null {
  const stat = textOf(file);
  return stat === null ? null : Number(fieldsOf(stat)[12]) * MS_PER_TICK;
}

/** Null once what it tells of has ended. */
function textOf(file: number): string | null {
  try {
    return bytes.toString("latin1", 0, readSync(file, bytes, 0, bytes.length, 0));
  } catch {
    return null;
  }
}

/** What the processors did so far, in milliseconds. */
interface Processors {
  /** All of them together, while they were not idle. */
  readonly busyMs: number;
  /** Each of them, while the machine that this one runs on gave it to another (none on a machine of its own). */
  readonly stolenMs: readonly number[];
}

/** proc(5), /proc/stat: a line for all processors and one for each. */
function processorTimes(): Processors {
  const [all = [], ...each] = readFileSync("/proc/stat", "latin1")
    .split("\n")
    .filter((line) => line.startsWith("cpu"))
    .map((line) =>
      line
        .trim()
        .split(/\s+/)
        .slice(1)
        .map((ticks) => Number(ticks) * MS_PER_TICK),
    );
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = all;
  return {
    busyMs: user + nice + system + irq + softirq + steal,
    stolenMs: each.map((times) => times[STEAL] ?? 0),
  };
}

/** What others took of the processors in each of the last samples, and how long a zygote was in the kernel. */
const others: number[] = [];
const spins: number[] = [];
let times = processorTimes();
let sampledAt = now();

/**
 * The player was held up for as long as one of its threads waited, the one that waited longest, but not for longer than
 * others ran meanwhile. (The sum over all threads is several times that on a machine with little to do: it excused 80 ms.)
 * A thread whose processor was taken from the whole machine does not wait in the kernel's eyes, nor is this process late on
 * another processor.
 */
function sample(): void {
  const at = now();
  const waited = Math.max(0, ...advances(threads, waitedMs));
  const ran = advances(processes, ranMs).reduce((sum, one) => sum + one, 0);
  const timesNow = processorTimes();
  const stolen = Math.max(0, ...timesNow.stolenMs.map((ms, index) => ms - (times.stolenMs[index] ?? ms)));
  const byOthers = inSpan(others, timesNow.busyMs - times.busyMs - ran);
  const heldMs = Math.min(at - sampledAt, Math.max(stolen, Math.min(waited, byOthers)));
  if (heldMs > TIMER_ERROR_MS) stalls.push({ from: at - heldMs, to: at });
  const spunMs = inSpan(spins, Math.max(0, ...advances(zygotes, kernelMs)));
  if (spunMs >= SPIN_MS) stalls.push({ from: at - spunMs, to: at + MADE_WITHIN_MS });
  times = timesNow;
  sampledAt = at;
}

/** Notes one more sample; returns the sum of the last ones. */
function inSpan(samples: number[], one: number): number {
  samples.push(one);
  if (samples.length > SPAN_SAMPLES) samples.shift();
  return samples.reduce((sum, sample) => sum + sample, 0);
}

if (roots.length > 0) {
  find();
  setInterval(find, LOOK_MS);
  setInterval(sample, SAMPLE_MS);
}
process.on("SIGTERM", () => {
  process.stdout.write(`${JSON.stringify(stalls)}\n`, () => process.exit());
});
