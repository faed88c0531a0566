import { expect, it, onTestFinished } from "vitest";
import { isWhole, watchColdStarts } from "../fidelity/cold.ts";
import { corpus } from "../fidelity/corpus.ts";
import { makeFile } from "../fidelity/make-media.ts";
import { MEDIA } from "../fidelity/media.ts";
import { openSite } from "../fidelity/site.ts";
import { temporaryFolder } from "../support/machine/temporary-folder.ts";

/** A page that takes long to draw, and a clip that has ended as soon as it begins. */
const SHOWN = ["filters", "clip-one-frame"];
const STARTS = 8;

it("a player that was killed shows nothing but whole pages and clips when it starts again", async () => {
  const made = temporaryFolder();
  for (const medium of MEDIA.filter(({ name }) => SHOWN.includes(name))) await makeFile(made, medium);
  const site = await openSite(made);
  onTestFinished(() => site.close());
  const samples = corpus(site).filter(({ name }) => SHOWN.includes(name));
  const { signal } = new AbortController();
  const results = await watchColdStarts(samples, { starts: STARTS, signal, progress: () => {} });
  expect(results.filter((result) => !isWhole(result))).toEqual([]);
  expect(results).toHaveLength(STARTS);
}, 240_000);
