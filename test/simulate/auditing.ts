import type { Instant } from "../../src/core/spot.ts";
import { audit } from "../../src/emulator/audit/audit.ts";
import type { LedgerSpot } from "../../src/emulator/spot/ledger.ts";
import type { Books } from "./books.ts";
import { HOUR_MS } from "./plan.ts";
import type { ScreenNetwork } from "./screen-network.ts";

/** Spots older than this have been audited. */
const AUDITED_MS = 3 * HOUR_MS;
/** Longer than a creative that was struck is left alone. */
const REMEMBERED_MS = 27 * HOUR_MS;

/** Asks the emulator's auditor, who is told of every fault and must be content, and keeps its ledger short. */
export class Auditing {
  readonly #screens: ScreenNetwork;
  readonly #books: Books;

  constructor(screens: ScreenNetwork, books: Books) {
    this.#screens = screens;
    this.#books = books;
  }

  check(): void {
    const { network } = this.#screens;
    const { ledger, rejectedPops, hindrances } = network.state;
    const now = network.clock.now();
    const spots = [...ledger.spots.values()];
    const found = audit({ spots, rejectedPops, hindrances, now, amountOf: () => 1 });
    for (const { name, requestId, kind, detail } of found) {
      const offers = [...this.#books.all()].filter((offer) => offer.requestId === requestId);
      this.#books.complain(`the auditor: ${name} of ${kind}: ${detail}: ${JSON.stringify(offers)}`);
    }
    for (const spot of spots) if (now - spot.issuedAt > AUDITED_MS) forget(network.state.ledger, spot);
    forgetOld(rejectedPops, now);
    forgetOld(hindrances, now);
  }
}

function forgetOld<T extends { readonly at: Instant }>(list: T[], now: Instant): void {
  const fresh = list.filter(({ at }) => now - at < REMEMBERED_MS);
  list.splice(0, list.length, ...fresh);
}

function forget({ spots, pops }: ScreenNetwork["network"]["state"]["ledger"], spot: LedgerSpot): void {
  spots.delete(spot.requestId);
  for (const item of [spot.news, spot.ad]) if (item !== null) pops.delete(item.popPath);
}
