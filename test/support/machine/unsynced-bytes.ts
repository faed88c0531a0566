import { open } from "node:fs/promises";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

/** How much of what this process wrote by file handles the disk has not been waited for: by now, and at most. */
export interface UnsyncedBytes {
  readonly now: number;
  readonly most: number;
}

/** Counts from now on, until the test is over. */
export async function countUnsynced(): Promise<UnsyncedBytes> {
  const file = await open(join(temporaryFolder(), "any"), "w");
  const handle = Object.getPrototypeOf(file);
  await file.close();
  const count = { now: 0, most: 0 };
  const { write, sync, datasync } = handle;
  vi.spyOn(handle, "write").mockImplementation(async function (this: unknown, ...args: unknown[]) {
    const done = await write.apply(this, args);
    count.now += done.bytesWritten;
    count.most = Math.max(count.most, count.now);
    return done;
  });
  for (const [name, flush] of Object.entries({ sync, datasync })) {
    vi.spyOn(handle, name).mockImplementation(async function (this: unknown) {
      await flush.apply(this);
      count.now = 0;
    });
  }
  onTestFinished(() => void vi.restoreAllMocks());
  return count;
}
