import type { EndedPlayout } from "../../../src/core/proofs/record.ts";
import type { NewProof } from "../../../src/player/proofs/proof-records.ts";

const DIGEST = "3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550fdab836ed";
const HASH = Buffer.from(DIGEST, "hex");
const TITLE = "Coffee, freshly roasted";

/** The playout that a proof is of. */
export function endedOf({
  playoutId,
  screenId,
  requestId,
  itemId,
  kind,
  pop,
  requestedAt,
  shownAt,
}: NewProof): EndedPlayout {
  const startedAt = shownAt - 10_000;
  const item = {
    ...{ kind, id: itemId, title: TITLE, form: "video" as const, mimeType: "video/mp4", durationMs: 10_000, pop },
    ...{ widthPx: 1_920, heightPx: 1_080, url: "https://media.example/coffee.mp4", newsType: null },
    ...{ sizeBytes: null, md5: null },
  };
  return {
    ...{ screenId, endedAt: shownAt, version: "0.1.0" },
    playout: { id: playoutId, requestId, spotNumber: 1, billable: true, requestedAt, item },
    outcome: { kind: "shown", paintedAt: startedAt, endedAt: shownAt },
    sighting: { digest: DIGEST, startedAt, firstFrameAgeMs: null, display: "on" },
  };
}

/** What of it a row of the record has, in the order of its columns but for the sequence. */
export function rawRowOf({ screenId, requestId, itemId, kind, shownAt }: NewProof, bootId: string) {
  return [
    ...[HASH, "playout", shownAt, shownAt - 10_000, 0, bootId, shownAt - 10_000, shownAt],
    ...[screenId, requestId, itemId, kind, TITLE, HASH, 10_000, "shown", "on", HASH, "0.1.0", HASH],
  ];
}
