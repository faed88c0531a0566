import type { Call } from "../http/journal.ts";
import type { Network } from "../network.ts";
import type { LedgerItem, LedgerSpot } from "../spot/ledger.ts";
import type { RowChanges } from "./file.ts";
import { toJson } from "./json.ts";

/** Tells what about a network has changed since it was last asked. The first time that is everything. */
export function changesOf(network: Network): (wall: number) => RowChanges {
  const parts = new Map<string, string>();
  const marks = new Map<string, string>();
  let lastCall: Call | undefined;
  let afresh = true;
  return (wall) => {
    const { state, clock, journal } = network;
    const { calls, lastId } = journal.kept();
    const { ledger, ...rest } = state;
    const now = { ...rest, clock: { ...clock.reading(), wall }, lastId };
    const changed = Object.entries(now)
      .map(([name, part]) => [name, toJson(part)] as const)
      .filter(([name, content]) => parts.get(name) !== content);
    for (const [name, content] of changed) parts.set(name, content);
    const known = lastCall !== undefined && calls.at(lastCall.id - lastId - 1) === lastCall;
    const added = known ? calls.slice(calls.length - (lastId - (lastCall?.id ?? 0))) : calls;
    lastCall = calls.at(-1);
    const changes = {
      afresh,
      parts: changed,
      ...changedSpots(ledger.spots, marks),
      calls: added.map((call) => [call.id, toJson(call)] as const),
      goneCalls: known ? (calls[0]?.id ?? 1) - 1 : null,
    };
    afresh = false;
    return changes;
  };
}

/** Told by what can change about a spot, since writing all of them out each time would cost more than everything else. */
function changedSpots(spots: ReadonlyMap<string, LedgerSpot>, marks: Map<string, string>) {
  const changed: [string, string][] = [];
  for (const [requestId, spot] of spots) {
    const mark = `${markOf(spot.news)}/${markOf(spot.ad)}`;
    if (marks.get(requestId) === mark) continue;
    marks.set(requestId, mark);
    changed.push([requestId, toJson(spot)]);
  }
  const gone = [...marks.keys()].filter((requestId) => !spots.has(requestId));
  for (const requestId of gone) marks.delete(requestId);
  return { spots: changed, goneSpots: gone };
}

function markOf(item: LedgerItem | null): string {
  if (item === null) return "";
  const bytes = item.media.reduce((sum, media) => sum + media.bytes + Number(media.complete), 0);
  return `${item.pops.length},${item.media.length},${bytes}`;
}
