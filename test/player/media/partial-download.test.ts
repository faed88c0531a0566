import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
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

it("is not made once more when it has its last name: a disk may have room for no other file", async () => {
  const folder = temporaryFolder();
  const partial = new PartialDownload(folder, false);
  await partial.append(CHUNK);
  await partial.moveTo(join(folder, "whole"));
  await partial.close();
  expect(readdirSync(folder)).toEqual(["whole"]);
});

it("is there with its last name where nothing has come, too", async () => {
  const folder = temporaryFolder();
  await new PartialDownload(folder, false).moveTo(join(folder, "empty"));
  expect(readdirSync(folder)).toEqual(["empty"]);
});
