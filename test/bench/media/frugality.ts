import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { ManualClock } from "../../support/player/manual-clock.ts";
import type { Bench, Comparison, Line } from "../line.ts";
import { benchFolder } from "../proofs/store.ts";
import { keep, type Origin, openCache, startOrigin } from "./cache.ts";

const DROPS = 20;
/** A day of a screen: 15 s items, of so many creatives, some seldom, some often. */
const ITEMS = 5_760;
const CREATIVES = 60;
const CREATIVE_BYTES = 500_000;
const ITEM_MS = 15_000;
/** Every tenth creative is a page that is asked after when it was over. */
const PAGE_EVERY = 10;

/** What the cache takes: bytes from the network, and memory while a large file comes in. */
export const frugality: Line = {
  name: "frugality",
  async run(bench) {
    const [largeBytes, droppedBytes, items] = bench.quick ? [1e8, 2e7, ITEMS / 10] : [1e9, 2e8, ITEMS];
    const origin = await startOrigin();
    const only = (what: string, unit: string, digits: number, spotloop: number, other: number): Comparison => {
      return { what, unit, digits, as: "ratio", spotloop: [spotloop], other: [other] };
    };
    try {
      bench.progress("a day with repeats");
      const day = await sentFor(origin, () => playDay(origin, items));
      bench.progress(`${DROPS} broken connections`);
      const dropped = await sentFor(origin, () => keepAlone(origin.url("dropped", droppedBytes, DROPS)));
      bench.progress(`${largeBytes / 1e6} MB coming in`);
      const growth = await growthFor(origin, largeBytes, bench);
      return {
        title: `Frugality: a day of ${items} items, ${DROPS} broken connections in ${droppedBytes / 1e6} MB, one file of ${largeBytes / 1e6} MB`,
        beside: "least possible",
        rows: [
          {
            ...only("bytes fetched on a day with repeats", "MB", 1, day / 1e6, (CREATIVES * CREATIVE_BYTES) / 1e6),
            goal: 1.01,
          },
          { ...only("bytes fetched over broken connections", "MB", 1, dropped / 1e6, droppedBytes / 1e6), goal: 1.05 },
          { ...only("memory growth while the file comes in", "MB", 1, growth / 1e6, 0), as: "pair", goal: 32 },
        ],
      };
    } finally {
      origin.stop();
    }
  },
};

async function sentFor(origin: Origin, act: () => Promise<void>): Promise<number> {
  const before = await origin.sentBytes();
  await act();
  return (await origin.sentBytes()) - before;
}

async function keepAlone(url: string): Promise<void> {
  const folder = benchFolder();
  await keep(await openCache(folder.path), url);
  folder.remove();
}

async function playDay(origin: Origin, items: number): Promise<void> {
  const folder = benchFolder();
  const clock = new ManualClock();
  const cache = await openCache(folder.path, clock);
  const { signal } = new AbortController();
  for (let item = 0; item < items; item++) {
    // Squares spread them: the first come often, the last seldom.
    const creative = item < CREATIVES ? item : ((item * item) % (CREATIVES + (item % 7))) % CREATIVES;
    const url = origin.url(`creative${creative}`, CREATIVE_BYTES);
    await keep(cache, url);
    if (creative % PAGE_EVERY === 0) {
      await cache.revalidate({ url, mimeType: "image/png", sizeBytes: null, md5: null }, signal);
    }
    await clock.advance(ITEM_MS);
  }
  folder.remove();
}

async function growthFor(origin: Origin, bytes: number, { quiet }: Bench): Promise<number> {
  const folder = benchFolder();
  await quiet.wait();
  const args = [`${import.meta.dirname}/large.ts`, folder.path, origin.url("large", bytes), origin.url("warm", 2e7)];
  const child = spawn(process.execPath, ["--expose-gc", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  folder.remove();
  return Number(line);
}
