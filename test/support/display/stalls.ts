import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Display } from "../../../scripts/setup/display.ts";
import { LATE_READY_MS } from "../../../src/core/loop/state.ts";
import { eventually, letGo, onALeash, preferOver, type Running } from "../machine/processes.ts";
import { FRAME_MS } from "./recording.ts";

/** A while in which the machine held up what only wanted to go on; instants on the clock of a recording (`monotonicMs`). */
export interface Stall {
  readonly from: number;
  readonly to: number;
}

/** Watches for stalls of the machine: what is measured beside it cannot be better. */
export interface StallWatch {
  /** Ends it; resolves with all stalls in order, none on a machine with time to spare. */
  stop(): Promise<readonly Stall[]>;
  /**
   * Waits for what the items lead to, as `eventually` does, and ends it. `HeldUp` where that does not come, and the machine
   * stood still for so long that a player gives up an item.
   */
  until(...awaited: Parameters<typeof eventually>): Promise<readonly Stall[]>;
}

/** What did not come may have failed to for a stall. */
export class HeldUp extends Error {
  override name = "HeldUp";
}

/** An item that is ready so much later fails, as it has to. */
const GIVES_UP_AFTER_MS = LATE_READY_MS;

/**
 * Notes when a process with the player's priority is late itself, and when threads of the player, or of the display that
 * it draws on, waited for a processor that others had.
 */
export function watchStalls(player: Running, display: Display): StallWatch {
  const pids = [player.pid, display.pid].flatMap((pid) => (pid === undefined ? [] : [String(pid)]));
  const ticker = spawn(...onALeash(process.execPath, [join(import.meta.dirname, "stall-ticker.ts"), ...pids]), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  preferOver(ticker);
  letGo(ticker);
  const said = new Promise<readonly Stall[]>((resolve, reject) => {
    createInterface({ input: ticker.stdout }).once("line", (line) => resolve(JSON.parse(line)));
    ticker.once("exit", () => reject(new Error("the ticker ended without a word")));
  });
  said.catch(() => {});
  const stop = () => {
    ticker.kill("SIGTERM");
    return said;
  };
  return {
    stop,
    async until(...awaited) {
      const missed = await eventually(...awaited).then(
        () => null,
        (error: Error) => error,
      );
      const stalls = await stop();
      if (missed === null) return stalls;
      throw excused(missed, stalls);
    },
  };
}

/** An error, or that the machine stood still: in one go, since what is spread over a scenario holds up no item for long. */
export function excused(error: Error, stalls: readonly Stall[]): Error {
  const longestMs = Math.max(0, ...stalls.map(({ from, to }) => to - from));
  if (longestMs < GIVES_UP_AFTER_MS) return error;
  return new HeldUp(`${error.message}, and the machine stood still for ${Math.round(longestMs)} ms`);
}

/** A recorder that grabs later than this after the grab before was held up itself: a frame and a half. */
const GAP_MS = 1.5 * FRAME_MS;

/** All stalls of a recording, its own late grabs among them, in order and without overlaps. */
export function heldUp(stalls: readonly Stall[], instants: readonly number[]): readonly Stall[] {
  const gaps = instants.slice(1).flatMap((to, index) => {
    const from = (instants[index] as number) + FRAME_MS;
    return to - from > GAP_MS - FRAME_MS ? [{ from, to }] : [];
  });
  const joined: { from: number; to: number }[] = [];
  for (const { from, to } of [...stalls, ...gaps].sort((one, other) => one.from - other.from)) {
    const last = joined.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else joined.push({ from, to });
  }
  return joined;
}

/** How much of a while the machine was held up. */
export function stalledMsIn(stalls: readonly Stall[], from: number, to: number): number {
  return stalls.reduce((sum, stall) => sum + Math.max(0, Math.min(stall.to, to) - Math.max(stall.from, from)), 0);
}
