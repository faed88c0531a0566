import pLimit from "p-limit";

/** The code of the error that a disk is told by that does not answer. */
export const SILENT = "ETIMEDOUT";

const ANSWERS_WITHIN_MS = 10_000;

/**
 * House content may be on a share that stops answering, perhaps for days: whoever asks it something then waits in one of
 * the four threads that this process has for all its files. Two of them are for house content, of all screens, and no more.
 */
const threads = pLimit({ concurrency: 2, rejectOnClear: true });
/** How many of them wait for an answer that is overdue. */
let overdue = 0;

/** Asks the disk something, in its turn; rejects with SILENT where the answer, or the turn, does not come in time. */
export async function ask<T>(work: () => Promise<T>): Promise<T> {
  if (overdue === threads.concurrency) throw silence();
  return new Promise((resolve, reject) => {
    const answer = threads(async () => {
      let isOverdue = false;
      const timer = setTimeout(() => {
        isOverdue = true;
        overdue++;
        if (overdue === threads.concurrency) threads.clearQueue();
        reject(silence());
      }, ANSWERS_WITHIN_MS);
      try {
        return await work();
      } finally {
        clearTimeout(timer);
        if (isOverdue) overdue--;
      }
    });
    answer.then(resolve, (error) => reject(error.name === "AbortError" ? silence() : error));
  });
}

function silence(): Error {
  return Object.assign(new Error("the disk does not answer"), { code: SILENT });
}
