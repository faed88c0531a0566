import { statSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { Ballast } from "../../../src/player/proofs/ballast.ts";
import { eventually } from "../../support/machine/processes.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

const SIZE_BYTES = 2 * 1024 * 1024;
/** What a bad memory card writes in a third of a second. */
const MOST_BYTES = 256 * 1024;

it("gives the disk little at a time, as whoever writes a line meanwhile may have to wait for all of it", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "ballast");
  let waiting = 0;
  let most = 0;
  const file = await open(join(folder, "any"), "w");
  const handle = Object.getPrototypeOf(file);
  await file.close();
  const { write, sync } = handle;
  vi.spyOn(handle, "write").mockImplementation(async function (this: unknown, ...args: unknown[]) {
    const done = await write.apply(this, args);
    waiting += done.bytesWritten;
    most = Math.max(most, waiting);
    return done;
  });
  vi.spyOn(handle, "sync").mockImplementation(async function (this: unknown) {
    await sync.apply(this);
    waiting = 0;
  });
  const ending = new AbortController();
  onTestFinished(() => {
    ending.abort();
    vi.restoreAllMocks();
  });
  const clock = new ManualClock();
  new Ballast(path, SIZE_BYTES).keepPresent(clock, ending.signal);
  await clock.advance(60_000);
  const size = () => statSync(path, { throwIfNoEntry: false })?.size;
  expect(await eventually("the ballast", size)).toBe(SIZE_BYTES);
  expect([most, waiting]).toEqual([MOST_BYTES, 0]);
});
