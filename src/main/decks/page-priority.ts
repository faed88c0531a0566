import { readdirSync } from "node:fs";
import { setPriority } from "node:os";
import type { WebContents } from "electron";
import { processesOf } from "./deck-watch.ts";

/**
 * A tenth of the processor time that each thread of the player, its graphics or a clip gets while both want it
 * (sched(7), nice values): enough to load beside a clip that takes all there is.
 */
const BEHIND = 10;

/** A page may start a process for each origin that it embeds, at any time. */
const LOOK_MS = 250;

/**
 * Puts all that a page runs behind the player until the page is gone. A page that began 64 workers without rest held the
 * screen for a minute: each time the player had something to do, it waited for all of them.
 */
export function putBehind(contents: WebContents): void {
  const look = () => {
    for (const pid of processesOf(contents)) for (const thread of threadsOf(pid)) setBehind(thread);
  };
  const timer = setInterval(look, LOOK_MS);
  contents.on("did-frame-navigate", look);
  contents.once("destroyed", () => clearInterval(timer));
}

/** Linux keeps a priority for each thread, and a thread begins with that of the one that started it. */
function threadsOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number);
  } catch {
    return [pid];
  }
}

function setBehind(thread: number): void {
  try {
    setPriority(thread, BEHIND);
  } catch {
    // It has ended in the meantime, or its own priority is lower still.
  }
}
