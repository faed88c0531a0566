import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { corpus } from "../fidelity/corpus.ts";
import { makeMedia } from "../fidelity/make-media.ts";
import { runFidelity } from "../fidelity/run.ts";
import { isRight, type Result, type Sample } from "../fidelity/sample.ts";
import { openSite, type Site } from "../fidelity/site.ts";

/** The site's port is not known yet; names and what they do are. */
const short = corpus({ here: "http://site" }).filter(({ isInShort }) => isInShort);

/** On a slow machine that makes its pictures and clips first, and shows some once more. */
const WITHIN_MS = 600_000;

let site: Site;
let results: readonly Result[];

/** The bare window is given another page than the player: what this finds of it is what it finds of a wrong player. */
function liar(samples: readonly Sample[]): Sample {
  const [one, other] = ["background-on-body", "table-layout"].map((name) =>
    samples.find((sample) => sample.name === name),
  );
  if (one === undefined || other === undefined) throw new Error("the corpus has lost its pages");
  return { ...one, name: "shown-otherwise", bare: other.bare };
}

beforeAll(async () => {
  const { signal } = new AbortController();
  site = await openSite(await makeMedia(signal, () => {}));
  const all = corpus(site);
  const samples = [...all.filter(({ isInShort }) => isInShort), liar(all)];
  results = await runFidelity(samples, { width: 1280, height: 720, keep: null, signal, progress: () => {} });
}, WITHIN_MS);

afterAll(() => site?.close());

describe("a creative in the player, beside a bare window of the same Electron", () => {
  it.each(short.map(({ name, does }) => [name, does] as const))("%s: %s", (name) => {
    const result = results.find(({ sample }) => sample.name === name);
    expect(result && isRight(result), JSON.stringify(result?.outcome)).toBe(true);
  });

  it("is found to differ where it is shown otherwise", () => {
    const result = results.find(({ sample }) => sample.name === "shown-otherwise");
    expect(result?.outcome.kind).toBe("different");
  });
});
