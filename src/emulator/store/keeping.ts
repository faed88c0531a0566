import type { Network } from "../network.ts";
import { changesOf } from "./changes.ts";
import type { StateFile } from "./file.ts";

/** A network whose state is kept. */
export interface Keeping {
  /** Writes what is not written yet and closes the file; throws when the disk does not take it. Once is enough. */
  stop(): void;
}

/** So much can be lost when the emulator is killed; nothing when it is asked to stop. */
const SAVE_EVERY_MS = 1_000;
/** Saving may take this share of the time at most. */
const LARGEST_SHARE = 0.1;

/** Writes a network to its file soon after every call. */
export function keepIn(file: StateFile, network: Network): Keeping {
  let changes = changesOf(network);
  const save = () => {
    try {
      file.write(changes(Date.now()));
    } catch (error) {
      // What was to be written is not known to be there: next time it is everything.
      changes = changesOf(network);
      throw error;
    }
  };
  const stopSaving = soonAfterCalls(network, save);
  let stopped = false;
  return {
    stop() {
      if (stopped) return;
      stopped = true;
      stopSaving();
      try {
        save();
      } finally {
        file.close();
      }
    },
  };
}

function soonAfterCalls({ journal }: Network, save: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = SAVE_EVERY_MS;
  const due = () => {
    timer = undefined;
    const begunAt = performance.now();
    try {
      save();
    } catch (error) {
      // The network goes on in memory: the next call has it tried again, and stopping says so if that fails too.
      console.error("the emulator's state could not be saved:", error);
    }
    pauseMs = Math.max(SAVE_EVERY_MS, (performance.now() - begunAt) / LARGEST_SHARE);
  };
  const forget = journal.onAdded(() => {
    timer ??= setTimeout(due, pauseMs);
  });
  return () => {
    clearTimeout(timer);
    forget();
  };
}
