import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "../setup/child.ts";
import type { Network } from "./emulator.ts";
import { type LedgerEvent, type LedgerSpot, news, outcome, readLedger } from "./ledger.ts";

/** What is followed, and until when. */
export interface Following {
  readonly network: Network;
  readonly emulator: Child;
  readonly player: Child;
  /** How many spots; infinite means until it is stopped. */
  readonly spots: number;
  readonly signal: AbortSignal;
  /** Hears each event before the next look at the ledger. */
  onEvent(event: LedgerEvent): Promise<void> | void;
}

/** How the demo ended, and how many spots had been proved by then. */
export type End =
  | { readonly kind: "proved" | "stopped"; readonly proved: number }
  | { readonly kind: "failed"; readonly reason: string };

const LOOK_MS = 200;
/** The demo's items take seconds: after this long without a new spot or proof none will come. */
const SILENCE_MS = 60_000;

/** Looks at the network's ledger, not at the player, since the ledger is what a network pays by. */
export async function follow(following: Following): Promise<End> {
  const { network, player, spots, signal, onEvent } = following;
  const gone = firstToEnd(following);
  let ledger: LedgerSpot[] = [];
  let newsAt = performance.now();
  while (!signal.aborted) {
    const now = await readLedger(network.controlUrl, network.screenId, signal).catch(() => null);
    const events = now === null ? [] : news(ledger, now);
    ledger = now ?? ledger;
    if (events.length > 0) newsAt = performance.now();
    for (const event of events) await onEvent(event);

    const reached = outcome(ledger, spots);
    if (reached?.kind === "failed") return reached;
    if (reached?.kind === "proved") return { kind: "proved", proved: spots };
    if (performance.now() - newsAt > SILENCE_MS) return silence(ledger, player.complaint());
    const ended = await Promise.race([gone, sleep(LOOK_MS, null)]);
    if (ended !== null && !signal.aborted) return { kind: "failed", reason: ended };
  }
  return { kind: "stopped", proved: ledger.filter((spot) => spot.state === "proved").length };
}

function firstToEnd({ player, emulator }: Following): Promise<string> {
  const told = (name: string, child: Child) =>
    child.ended.then((how) => `the ${name} ended by itself (${how})\n${child.complaint()}`.trim());
  return Promise.race([told("player", player), told("emulator", emulator)]);
}

function silence(ledger: readonly LedgerSpot[], complaint: string): End {
  const what = ledger.length === 0 ? "the player asked for no spot" : "there was no new spot and no new proof";
  return { kind: "failed", reason: `${what} for ${SILENCE_MS / 1000} s\n${complaint}`.trim() };
}
