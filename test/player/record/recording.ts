import { join } from "node:path";
import { pino } from "pino";
import { ProofStore } from "../../../src/player/proofs/proof-store.ts";
import { Checkpoints } from "../../../src/player/record/checkpoints.ts";
import { type RecordLimits, RecordStore } from "../../../src/player/record/record-store.ts";
import { ServiceClock } from "../../../src/player/service-clock.ts";
import { openReadOnly } from "../../../src/player/stores/database.ts";
import { ManualClock } from "../../support/player/manual-clock.ts";
import { tellTime } from "../../support/player/service-time.ts";
import { proofFileIn } from "../proofs/proofs.ts";
import { endedPlayout, proofFor } from "./ended.ts";

const KEPT: RecordLimits = { days: 400, maxBytes: 1024 ** 3 };

interface Changes {
  readonly limits?: RecordLimits;
  readonly clock?: ManualClock;
  /** The service has not told its time. */
  readonly timeless?: true;
}

/** A record that is written and signed in a folder, by a clock that is turned by hand. */
export function recordingIn(folder: string, { limits = KEPT, clock = new ManualClock(), timeless }: Changes = {}) {
  const file = proofFileIn(folder);
  const proofs = new ProofStore(file, "run-1");
  const store = new RecordStore(file);
  const serviceClock = new ServiceClock(clock);
  if (timeless === undefined) tellTime(serviceClock, clock.wall());
  const log = pino({ level: "silent" });
  let signed = 0;
  const checkpoints = new Checkpoints({
    ...{ store, dataDir: folder, limits, clock, serviceClock, log },
    onSigned: () => void signed++,
  });
  return {
    ...{ clock, file, proofs, store, serviceClock, checkpoints },
    signed: () => signed,
    /** Shows an item and owes its proof. */
    show(id: string, changes: Parameters<typeof endedPlayout>[2] = {}) {
      const ended = endedPlayout(id, clock.now(), changes);
      proofs.owe(proofFor(ended), serviceClock.read(), [], ended);
    },
    /** An item fails. */
    fail(id: string) {
      const outcome = { kind: "failed", reason: "stalled" } as const;
      store.append([endedPlayout(id, clock.now(), { outcome })], serviceClock.read());
    },
  };
}

/** What any table of a folder's file holds, read by somebody else. */
export function readAll<T>(folder: string, sql: string): readonly T[] {
  const database = openReadOnly(join(folder, "proofs.db"));
  const rows = database.prepare<[], T>(sql).all();
  database.close();
  return rows;
}
