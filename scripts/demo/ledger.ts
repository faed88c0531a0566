/** What the network's ledger says about one item; only what the demo tells of. */
export interface LedgerItem {
  readonly id: string;
  readonly url: string;
  readonly pops: readonly { readonly verdict: string }[];
}

/** A spot in the ledger. */
export interface LedgerSpot {
  readonly requestId: string;
  readonly newsFirst: boolean;
  readonly news: LedgerItem | null;
  readonly ad: LedgerItem | null;
  readonly state: "open" | "proved" | "lapsed";
}

/** Something worth a line. Spots are counted from 1. */
export type LedgerEvent =
  | { readonly kind: "issued"; readonly spot: number; readonly items: readonly LedgerItem[] }
  | { readonly kind: "proved"; readonly spot: number; readonly item: LedgerItem }
  | { readonly kind: "refused"; readonly spot: number; readonly item: LedgerItem; readonly verdict: string };

/** How it ends: all the wanted spots proved, or one that will not be any more. */
export type Outcome = { readonly kind: "proved" } | { readonly kind: "failed"; readonly reason: string };

/** The ledger of one screen, oldest spot first. */
export async function readLedger(controlUrl: string, screenId: string, signal: AbortSignal): Promise<LedgerSpot[]> {
  const url = `${controlUrl}/control/spots?screen_id=${encodeURIComponent(screenId)}`;
  const answer = await fetch(url, { signal });
  if (!answer.ok) throw new Error(`the emulator's ledger answered ${answer.status}`);
  return answer.json();
}

/** What has happened between two looks at the ledger, in the order of the spots. */
export function news(before: readonly LedgerSpot[], after: readonly LedgerSpot[]): LedgerEvent[] {
  return after.flatMap((spot, index) => {
    const known = before[index];
    const items = inOrder(spot);
    const issued: LedgerEvent[] = known === undefined ? [{ kind: "issued", spot: index + 1, items }] : [];
    const had = (item: LedgerItem) => (known ? inOrder(known) : []).find(({ id }) => id === item.id)?.pops.length ?? 0;
    const pops = items.flatMap((item) => item.pops.slice(had(item)).map((pop) => told(index + 1, item, pop.verdict)));
    return [...issued, ...pops];
  });
}

function told(spot: number, item: LedgerItem, verdict: string): LedgerEvent {
  return verdict === "counted" ? { kind: "proved", spot, item } : { kind: "refused", spot, item, verdict };
}

/** Whether the first `wanted` spots have made it, or `null` as long as that is open. */
export function outcome(ledger: readonly LedgerSpot[], wanted: number): Outcome | null {
  const first = ledger.slice(0, wanted);
  const lapsed = first.findIndex((spot) => spot.state === "lapsed");
  if (lapsed >= 0) return { kind: "failed", reason: `spot ${lapsed + 1} was not proved within the hour` };
  const open = first.findIndex((spot) => spot.state === "open");
  // The player holds one spot on air and one ready: what is still open when a later one is proved was left out.
  const overtaken = open >= 0 && ledger.slice(open + OVERTAKEN).some((spot) => spot.state === "proved");
  if (overtaken) return { kind: "failed", reason: `spot ${open + 1} was not shown in full, or not proved` };
  return first.length === wanted && open < 0 ? { kind: "proved" } : null;
}

/** Two spots later: proofs of neighbouring spots may be delivered in either order. */
const OVERTAKEN = 2;

function inOrder({ newsFirst, news: newsItem, ad }: LedgerSpot): LedgerItem[] {
  return (newsFirst ? [newsItem, ad] : [ad, newsItem]).filter((item) => item !== null);
}
