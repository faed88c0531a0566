import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import type { Clock } from "../../../src/player/clock.ts";
import { ProofFile } from "../../../src/player/proofs/proof-file.ts";
import type { NewProof } from "../../../src/player/proofs/proof-records.ts";
import { ProofStore } from "../../../src/player/proofs/proof-store.ts";

export const silent = pino({ level: "silent" });

/** A folder of its own on the disk that the checkout is on: a file system in memory has nothing to sync. */
export function benchFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(process.env.SPOTLOOP_BENCH_DIR ?? tmpdir(), "spotloop-bench-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** By default each commit is on the disk when it returns. */
export function storeIn(folder: string, flushesInThread = false): ProofStore {
  return new ProofStore(ProofFile.open({ path: join(folder, "proofs.db"), log: silent, flushesInThread }), "bench");
}

/** The proofs of so many items that were shown just now, as they come from a screen network. */
export function shownNow(count: number, popBase: string, clock: Clock): readonly NewProof[] {
  const now = clock.now();
  return Array.from({ length: count }, (_, index) => ({
    ...{ playoutId: `${index}-ad`, screenId: "screen_bench", requestId: `8c2f9a54-0000-4000-8000-${index}` },
    ...{ itemId: "bench", kind: "ad" as const, requestedAt: now - 10_000 + index / 1_000, shownAt: now },
    pop: `${popBase}/pop/${index}?signature=3f786850e387550fdab836ed7e6dc881de23001b`,
  }));
}
