import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Clock, systemClock } from "../../../src/player/clock.ts";
import { CreativeBlocklist } from "../../../src/player/media/creative-blocklist.ts";
import type { MediaRequest } from "../../../src/player/media/download.ts";
import type { Media } from "../../../src/player/media/media.ts";
import { MediaCache } from "../../../src/player/media/media-cache.ts";
import { IndexFile, MediaIndex } from "../../../src/player/media/media-index.ts";
import { mediaIndexMigrations } from "../../../src/player/media/media-schema.ts";
import { silent } from "../proofs/store.ts";

/** A server of media, in a process of its own. */
export interface Origin {
  url(name: string, bytes: number, drops?: number): string;
  /** How many bytes it has handed out so far. */
  sentBytes(): Promise<number>;
  stop(): void;
}

export async function startOrigin(): Promise<Origin> {
  const child = spawn(process.execPath, [`${import.meta.dirname}/origin.ts`], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(createInterface({ input: child.stdout }), "line");
  const base = `http://127.0.0.1:${port}`;
  return {
    url: (name, bytes, drops = 0) => `${base}/media/${name}?bytes=${bytes}&drops=${drops}`,
    sentBytes: async () => Number(await (await fetch(`${base}/sent`)).text()),
    stop: () => child.stdin.end(),
  };
}

/** A real cache in a folder, whose index is in it too. */
export async function openCache(folder: string, clock: Clock = systemClock(null)): Promise<MediaCache> {
  const index = new IndexFile(join(folder, "media.db"), mediaIndexMigrations, silent);
  return MediaCache.open({
    folder: join(folder, "media", "v1"),
    index: new MediaIndex(index),
    blocklist: new CreativeBlocklist(index),
    clock,
    limits: { maxBytes: 8e9, minFreeBytes: 0, maxItemBytes: 2e9 },
    fetch: (url, signal, headers) => fetch(url, { signal, ...(headers === undefined ? {} : { headers }) }),
  });
}

/** Has a URL in the cache, and lets go of it. */
export async function keep(cache: MediaCache, url: string, mimeType: string | null = "image/png"): Promise<Media> {
  const wanted: MediaRequest = { url, mimeType, sizeBytes: null, md5: null };
  const outcome = await cache.obtain(wanted, new AbortController().signal);
  if (outcome.kind === "failed") throw new Error(outcome.reason);
  cache.release(outcome.media.digest);
  return outcome.media;
}
