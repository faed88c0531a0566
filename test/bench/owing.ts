import { join } from "node:path";
import { systemClock } from "../../src/player/clock.ts";
import { openDatabase } from "../../src/player/database.ts";
import type { NewProof } from "../../src/player/proofs/proof-records.ts";
import { proofMigrations } from "../../src/player/proofs/proof-schema.ts";
import { ServiceClock } from "../../src/player/service-clock.ts";
import type { Line } from "./line.ts";
import { benchFolder, shownNow, storeIn } from "./proofs/store.ts";

const PROOFS = 5_000;

/** Owing proofs one after the other, each committed by itself, beside inserting the same rows with better-sqlite3. */
export const owing: Line = {
  name: "owing",
  async run({ quick, progress }) {
    const [rounds, proofs] = quick ? [1, 500] : [7, PROOFS];
    const rates = { spotloop: [] as number[], raw: [] as number[] };
    for (let round = 0; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`);
      for (const which of round % 2 === 1 ? (["spotloop", "raw"] as const) : (["raw", "spotloop"] as const)) {
        const rate = (which === "raw" ? rawRate : storeRate)(shownNow(proofs, "https://pop.example", systemClock()));
        // The first round warms both up.
        if (round > 0) rates[which].push(rate);
      }
    }
    return {
      title: `Owing: ${proofs} proofs, each on the disk before the next, rounds: ${rounds}`,
      beside: "raw inserts",
      rows: [
        {
          ...{ what: "proofs owed a second", unit: "/s", digits: 0, as: "ratio", goal: 0.8, goalIs: "least" },
          ...{ spotloop: rates.spotloop, other: rates.raw },
        },
      ],
    };
  },
};

function storeRate(proofs: readonly NewProof[]): number {
  const folder = benchFolder();
  const serviceClock = new ServiceClock(systemClock());
  const store = storeIn(folder.path);
  const rate = rateOf(proofs, (proof) => store.owe(proof, serviceClock.moment()));
  store.close();
  folder.remove();
  return rate;
}

/** The same table with the same indexes, opened in the same way. */
function rawRate(proofs: readonly NewProof[]): number {
  const folder = benchFolder();
  const path = join(folder.path, "proofs.db");
  const opening = openDatabase({ path, durability: "full", migrations: proofMigrations });
  if (opening.kind !== "open") throw new Error(opening.kind);
  const { database } = opening;
  const insert = database.prepare(`
    insert into proof (run_id, playout_id, screen_id, request_id, item_id, kind, pop, shown_wall, shown_monotonic,
      requested_wall, requested_monotonic, requested_boot, service_offset, timeline, due, deadline)
    values ('bench', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`);
  const { bootId } = systemClock();
  const rate = rateOf(proofs, ({ playoutId, screenId, requestId, itemId, kind, pop, requestedAt, shownAt }) =>
    insert.run(
      ...[playoutId, screenId, requestId, itemId, kind, pop, shownAt, shownAt],
      ...[requestedAt, requestedAt, bootId, bootId, shownAt, requestedAt + 3_600_000],
    ),
  );
  database.close();
  folder.remove();
  return rate;
}

function rateOf(proofs: readonly NewProof[], act: (proof: NewProof) => unknown): number {
  const startedAt = performance.now();
  for (const proof of proofs) act(proof);
  return proofs.length / ((performance.now() - startedAt) / 1000);
}
