import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import type { Line } from "../line.ts";
import { benchFolder } from "../proofs/store.ts";
import { keep, openCache, startOrigin } from "./cache.ts";

const FILE_BYTES = 200e6;

/** A file brought into the cache, hashed, checked and synced, beside a plain fetch into a file. */
export const downloading: Line = {
  name: "downloading",
  async run({ quick, quiet, progress }) {
    const [rounds, bytes] = quick ? [1, FILE_BYTES / 10] : [7, FILE_BYTES];
    const rates = { spotloop: [] as number[], plain: [] as number[] };
    const origin = await startOrigin();
    try {
      for (let round = 0; round <= rounds; round++) {
        progress(`round ${round} of ${rounds}`);
        await quiet.wait();
        for (const which of round % 2 === 1 ? (["spotloop", "plain"] as const) : (["plain", "spotloop"] as const)) {
          const rate = await (which === "plain" ? plainRate : cacheRate)(origin.url(`${which}${round}`, bytes), bytes);
          // The first round warms both up.
          if (round > 0) rates[which].push(rate);
        }
      }
    } finally {
      origin.stop();
    }
    return {
      title: `Downloading: ${bytes / 1e6} MB from this machine, hashed, checked and synced, rounds: ${rounds}`,
      beside: "plain fetch",
      rows: [
        {
          ...{ what: "megabytes a second", unit: "MB/s", digits: 0, as: "ratio", goal: 0.8, goalIs: "least" },
          ...{ spotloop: rates.spotloop, other: rates.plain },
        },
      ],
    };
  },
};

async function cacheRate(url: string, bytes: number): Promise<number> {
  const folder = benchFolder();
  const cache = await openCache(folder.path);
  const startedAt = performance.now();
  await keep(cache, url);
  const tookMs = performance.now() - startedAt;
  folder.remove();
  return bytes / 1000 / tookMs;
}

async function plainRate(url: string, bytes: number): Promise<number> {
  const folder = benchFolder();
  const startedAt = performance.now();
  const { body } = await fetch(url);
  await pipeline(Readable.fromWeb(body as ReadableStream), createWriteStream(join(folder.path, "file")));
  const tookMs = performance.now() - startedAt;
  folder.remove();
  return bytes / 1000 / tookMs;
}
