import { join } from "node:path";
import { systemClock } from "../../src/player/clock.ts";
import { type NewProof, proofMigrations } from "../../src/player/proofs/proof-records.ts";
import { ServiceClock } from "../../src/player/service-clock.ts";
import { type Database, openDatabase } from "../../src/player/stores/database.ts";
import type { Line } from "./line.ts";
import { endedOf, rawRowOf } from "./proofs/ended.ts";
import { benchFolder, shownNow, storeIn } from "./proofs/store.ts";

const PROOFS = 5_000;

/** Writes proofs, each committed by itself, and says how many a second. */
type Writer = (proofs: readonly NewProof[]) => number;

/** Owing proofs one after the other, each committed by itself, beside inserting the same rows with better-sqlite3. */
export const owing: Line = {
  name: "owing",
  async run({ quick, progress }) {
    const [rounds, proofs] = quick ? [1, 500] : [7, PROOFS];
    const rates = { alone: none(), recorded: none() };
    for (let round = 0; round <= rounds; round++) {
      progress(`round ${round} of ${rounds}`);
      for (const [what, writers] of Object.entries(WRITERS) as [keyof typeof WRITERS, Writers][]) {
        for (const who of round % 2 === 1 ? (["spotloop", "raw"] as const) : (["raw", "spotloop"] as const)) {
          const rate = writers[who](shownNow(proofs, "https://pop.example", systemClock(null)));
          // The first round warms both up.
          if (round > 0) rates[what][who].push(rate);
        }
      }
    }
    const goal = { unit: "/s", digits: 0, as: "ratio", goal: 0.8, goalIs: "least" } as const;
    return {
      title: `Owing: ${proofs} proofs, each on the disk before the next, rounds: ${rounds}`,
      beside: "raw inserts",
      rows: [
        { what: "proofs owed a second", ...goal, spotloop: rates.alone.spotloop, other: rates.alone.raw },
        {
          what: "proofs owed a second, each with its row of the playout record",
          ...{ ...goal, spotloop: rates.recorded.spotloop, other: rates.recorded.raw },
        },
      ],
    };
  },
};

interface Writers {
  readonly spotloop: Writer;
  readonly raw: Writer;
}

const WRITERS = {
  alone: {
    spotloop: (proofs) => storeRate(proofs, (store, proof, reading) => store.owe(proof, reading)),
    raw: (proofs) => rawRate(proofs, (database) => insertProof(database)),
  },
  recorded: {
    spotloop: (proofs) => storeRate(proofs, (store, proof, reading) => store.owe(proof, reading, [], endedOf(proof))),
    raw: (proofs) =>
      rawRate(proofs, (database) => {
        const [proof, row] = [insertProof(database), insertRow(database)];
        return database.transaction((owed: NewProof) => {
          proof(owed);
          row(owed);
        });
      }),
  },
} as const satisfies Record<string, Writers>;

const none = () => ({ spotloop: [] as number[], raw: [] as number[] });

type Store = ReturnType<typeof storeIn>;

function storeRate(
  proofs: readonly NewProof[],
  owe: (store: Store, proof: NewProof, reading: ReturnType<ServiceClock["read"]>) => unknown,
): number {
  const folder = benchFolder();
  const serviceClock = new ServiceClock(systemClock(null));
  const store = storeIn(folder.path);
  const rate = rateOf(proofs, (proof) => owe(store, proof, serviceClock.read()));
  store.close();
  folder.remove();
  return rate;
}

/** The same tables with the same indexes, opened in the same way. */
function rawRate(proofs: readonly NewProof[], prepare: (database: Database) => (proof: NewProof) => unknown): number {
  const folder = benchFolder();
  const path = join(folder.path, "proofs.db");
  const opening = openDatabase({ path, durability: "full", migrations: proofMigrations });
  if (opening.kind !== "open") throw new Error(opening.kind);
  const { database } = opening;
  const rate = rateOf(proofs, prepare(database));
  database.close();
  folder.remove();
  return rate;
}

function insertProof(database: Database): (proof: NewProof) => unknown {
  const insert = database.prepare(`
    insert into proof (run_id, playout_id, screen_id, request_id, item_id, kind, pop, shown_wall, shown_monotonic,
      requested_wall, requested_monotonic, requested_boot, service_offset, timeline, due, deadline)
    values ('bench', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?)`);
  const { bootId } = systemClock(null);
  return ({ playoutId, screenId, requestId, itemId, kind, pop, requestedAt, shownAt }) =>
    insert.run(
      ...[playoutId, screenId, requestId, itemId, kind, pop, shownAt, shownAt],
      ...[requestedAt, requestedAt, bootId, bootId, shownAt, requestedAt + 3_600_000],
    );
}

/** Hashes of nothing, made before: to insert them is all that is measured. */
function insertRow(database: Database): (proof: NewProof) => unknown {
  const insert = database.prepare(`
    insert into record (previous, type, ended, started, clock_offset, boot_id, started_monotonic, ended_monotonic,
      screen_id, request_id, item_id, kind, title, digest, duration, outcome, display, pop_hash, version, hash)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const { bootId } = systemClock(null);
  return (proof) => insert.run(...rawRowOf(proof, bootId));
}

function rateOf(proofs: readonly NewProof[], act: (proof: NewProof) => unknown): number {
  const startedAt = performance.now();
  for (const proof of proofs) act(proof);
  return proofs.length / ((performance.now() - startedAt) / 1000);
}
