import type { EndedPlayout, Sighting } from "../../../src/core/proofs/record.ts";
import type { Item, PlayoutOutcome } from "../../../src/core/spot.ts";
import type { NewProof } from "../../../src/player/proofs/proof-records.ts";
import { anItem } from "../../support/player/spots.ts";

interface Changes {
  readonly screenId?: string;
  readonly item?: Partial<Item>;
  readonly outcome?: PlayoutOutcome;
  readonly sighting?: Partial<Sighting>;
}

/** A playout of ten seconds that ended at `endedAt`, an ad that was shown in full by default. */
export function endedPlayout(id: string, endedAt: number, changes: Changes = {}): EndedPlayout {
  const startedAt = endedAt - 10_000;
  const item = anItem("ad", { durationMs: 10_000, pop: `https://pop.example/${id}`, ...changes.item });
  return {
    screenId: changes.screenId ?? "screen-1",
    playout: { id, requestId: `request-${id}`, spotNumber: 1, billable: true, requestedAt: startedAt - 2_000, item },
    outcome: changes.outcome ?? { kind: "shown", paintedAt: startedAt, endedAt },
    endedAt,
    sighting: { digest: "ab".repeat(32), startedAt, firstFrameAgeMs: null, display: "on", ...changes.sighting },
    version: "1.2.3",
  };
}

/** The proof that a playout is owed. */
export function proofFor({ screenId, playout, endedAt }: EndedPlayout): NewProof {
  const { id, requestId, requestedAt, item } = playout;
  const { kind, pop } = item;
  return { playoutId: id, screenId, requestId, itemId: item.id, kind, pop, requestedAt, shownAt: endedAt };
}
