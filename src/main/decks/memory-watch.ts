import { app, type WebContents } from "electron";

/**
 * So much memory one page may take: several times what decent creatives do, and little enough that a machine of 4 GB can
 * bear two of them. V8's own limit is four times as high, and knows nothing of array buffers.
 */
export const MOST_MEMORY_BYTES = 1024 ** 3;

/** Pages were seen to take more than 1 GB a second. */
const TURN_MS = 250;

type OnTooMuch = (detail: string) => void;

/** All pages that are watched: asking after the processes costs the same for one as for many. */
const watched = new Map<WebContents, OnTooMuch>();
let timer: NodeJS.Timeout | undefined;

/** Watches how much memory a page's process takes, and says so once it is too much. The function it returns ends it. */
export function watchMemory(contents: WebContents, onTooMuch: OnTooMuch): () => void {
  watched.set(contents, onTooMuch);
  timer ??= setInterval(look, TURN_MS);
  return () => unwatch(contents);
}

function look(): void {
  const metrics = new Map(app.getAppMetrics().map(({ pid, memory }) => [pid, memory.workingSetSize * 1024]));
  for (const [contents, onTooMuch] of [...watched]) {
    const isGone = contents.isDestroyed();
    const bytes = isGone ? 0 : (metrics.get(contents.getOSProcessId()) ?? 0);
    if (!isGone && bytes <= MOST_MEMORY_BYTES) continue;
    unwatch(contents);
    if (!isGone) onTooMuch(`${Math.round(bytes / 1024 ** 2)} MiB`);
  }
}

function unwatch(contents: WebContents): void {
  watched.delete(contents);
  if (watched.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
