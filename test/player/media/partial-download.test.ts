import { statSync } from "node:fs";
import { expect, it } from "vitest";
import { PartialDownload } from "../../../src/player/media/partial-download.ts";
import { temporaryFolder } from "../../support/machine/temporary-folder.ts";
import { countUnsynced } from "../../support/machine/unsynced-bytes.ts";

const CHUNK = Buffer.alloc(64 * 1024, 1);
const CHUNKS = 100;
/** What a bad memory card writes in a third of a second. */
const MOST_BYTES = 256 * 1024;

it("gives the disk little of a large file at a time, and has all of it there in the end", async () => {
  const unsynced = await countUnsynced();
  const partial = new PartialDownload(temporaryFolder(), false);
  for (let count = 0; count < CHUNKS; count++) await partial.append(CHUNK);
  await partial.sync();
  expect(unsynced).toEqual({ now: 0, most: MOST_BYTES });
  expect(statSync(partial.path).size).toBe(CHUNKS * CHUNK.length);
  await partial.discard();
});
