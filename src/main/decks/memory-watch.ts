import { app, type WebContents } from "electron";

/**
 * So much memory one page may take: several times what decent creatives do, and little enough that a machine of 4 GB can
 * bear two of them. V8's own limit is four times as high, and knows nothing of array buffers.
 */
export const MOST_MEMORY_BYTES = 1024 ** 3;

/** Pages were seen to take more than 1 GB a second. */
const TURN_MS = 250;

/** Watches how much memory a page's process takes, and says so once it is too much. The function it returns ends it. */
export function watchMemory(contents: WebContents, onTooMuch: (detail: string) => void): () => void {
  const timer = setInterval(() => {
    if (contents.isDestroyed()) return clearInterval(timer);
    const bytes = residentBytes(contents.getOSProcessId());
    if (bytes <= MOST_MEMORY_BYTES) return;
    clearInterval(timer);
    onTooMuch(`${Math.round(bytes / 1024 ** 2)} MiB`);
  }, TURN_MS);
  return () => clearInterval(timer);
}

function residentBytes(pid: number): number {
  const found = app.getAppMetrics().find((metric) => metric.pid === pid);
  return (found?.memory.workingSetSize ?? 0) * 1024;
}
