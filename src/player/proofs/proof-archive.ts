import { popLabel } from "../../client/spot-client.ts";
import { PROOF_WINDOW_MS } from "../../core/proofs/proof.ts";
import type { ItemKind } from "../../core/spot.ts";
import { type Database, openShared } from "../stores/database.ts";
import { type Day, type DayReport, reportOn } from "./day-report.ts";
import { ofThisVersion, openForReading, type ProofState, type RefusedProof } from "./proof-records.ts";
import {
  byState,
  COUNTS,
  DELIVERY_COUNTS,
  lastRefused,
  prepareRefused,
  REPORTED,
  RETRY_ALL,
  type StateCount,
} from "./proof-sql.ts";

/** A proof as people and other programs read it. Instants are ISO 8601, UTC, by the service's clock. */
export interface ListedProof {
  readonly id: number;
  readonly shownAt: string;
  readonly screenId: string;
  readonly requestId: string;
  readonly itemId: string;
  readonly kind: ItemKind;
  readonly state: ProofState;
  readonly attempts: number;
  readonly lastAnswer: string | null;
  readonly deadlineAt: string;
  /** From the end of the item to the last answer, milliseconds. */
  readonly delayMs: number | null;
  /** Host and hash of the proof-of-play URL, as in the log (F11). */
  readonly pop: string;
}

/** Which proofs are meant; null is any. */
export interface ProofFilter {
  readonly state: ProofState | null;
  readonly kind: ItemKind | null;
  readonly day: Day | null;
  readonly screenId: string | null;
}

/** How many are read at a time: one long read would keep the player's write-ahead log from being cut back. */
const PAGE_ROWS = 1_000;

/** The proofs of a data folder, read while a player may be writing there. Nothing in it is ever changed. */
export class ProofArchive {
  readonly #db: Database;

  constructor(path: string) {
    this.#db = openForReading(path, "there are no proofs");
  }

  /** Newest first. */
  *list({ state, kind, day, screenId }: ProofFilter): Generator<ListedProof> {
    const select = this.#db.prepare<[object], Row>(LIST);
    for (let before = Number.MAX_SAFE_INTEGER; ; ) {
      const span = { from: day?.from ?? null, until: day?.until ?? null };
      const query = { state, kind, screenId, ...span, before, limit: PAGE_ROWS };
      const rows = select.all(query);
      for (const row of rows) yield listed(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < PAGE_ROWS) return;
      before = last.id;
    }
  }

  /** How many are in each state. */
  counts(): Record<ProofState, number> {
    return byState(this.#db.prepare<[], StateCount>(COUNTS).all());
  }

  report(day: Day): DayReport {
    const { from, until } = day;
    return reportOn(
      day,
      this.#db.prepare<[object], never>(REPORTED).all({ from, until }),
      this.#db.prepare<[object], never>(DELIVERY_COUNTS).all({ from, until }),
    );
  }

  /** The refused proof whose item was shown last, on a day or ever, or null. */
  lastRefused(day: Day | null): RefusedProof | null {
    return lastRefused(prepareRefused(this.#db), day);
  }

  close(): void {
    this.#db.close();
  }
}

/**
 * Asks the player that has this file open to send what is owed now, not at its next turn. Returns how many are owed.
 * Whatever state the file is in, it is left where it is: to mend it is for the player.
 */
export function askForRetry(path: string): number {
  const database = ofThisVersion(path, openShared(path));
  try {
    return database.prepare(RETRY_ALL).run().changes;
  } finally {
    database.close();
  }
}

const LIST = `
  select id, shown_wall + service_offset as shown, screen_id as screenId, request_id as requestId, item_id as itemId,
    kind, state, attempts, last_answer as lastAnswer, requested_wall + service_offset as requested, delay_ms as delayMs,
    pop
  from proof
  where id < @before and (@state is null or state = @state) and (@kind is null or kind = @kind)
    and (@screenId is null or screen_id = @screenId)
    and (@from is null or shown_wall + service_offset >= @from and shown_wall + service_offset < @until)
  order by id desc limit @limit`;

type Row = Omit<ListedProof, "shownAt" | "deadlineAt"> & { readonly shown: number; readonly requested: number };

/** In the order in which they are written out. */
function listed({ id, shown, requested, pop, delayMs, ...row }: Row): ListedProof {
  return {
    id,
    shownAt: new Date(shown).toISOString(),
    screenId: row.screenId,
    requestId: row.requestId,
    itemId: row.itemId,
    kind: row.kind,
    state: row.state,
    attempts: row.attempts,
    lastAnswer: row.lastAnswer,
    deadlineAt: new Date(requested + PROOF_WINDOW_MS).toISOString(),
    delayMs: delayMs === null ? null : Math.round(delayMs),
    pop: popLabel(pop),
  };
}
