import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { Ballast } from "../../../src/player/proofs/ballast.ts";
import { eventually } from "../../support/machine/processes.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { countUnsynced } from "../../support/machine/unsynced-bytes.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";

const SIZE_BYTES = 2 * 1024 * 1024;
/** What a bad memory card writes in a third of a second. */
const MOST_BYTES = 256 * 1024;

it("gives the disk little at a time, as whoever writes a line meanwhile may have to wait for all of it", async () => {
  const path = join(temporaryFolder(), "ballast");
  const unsynced = await countUnsynced();
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const clock = new ManualClock();
  new Ballast(path, SIZE_BYTES).keepPresent(clock, ending.signal);
  await clock.advance(60_000);
  const size = () => statSync(path, { throwIfNoEntry: false })?.size;
  expect(await eventually("the ballast", size)).toBe(SIZE_BYTES);
  expect(unsynced).toEqual({ now: 0, most: MOST_BYTES });
});
