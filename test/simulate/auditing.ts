import { LATE_PAINT_MS } from "../../src/core/loop-state.ts";
import { audit } from "../../src/emulator/audit/audit.ts";
import type { Violation, ViolationName } from "../../src/emulator/audit/violation.ts";
import type { LedgerSpot } from "../../src/emulator/spot/ledger.ts";
import type { Books } from "./books.ts";
import { HOUR_MS } from "./plan.ts";
import { MEDIA_URL, type ScreenNetwork } from "./screen-network.ts";
import { LONGEST_WAY_MS } from "./wire.ts";

/** Spots older than this have been audited. */
const AUDITED_MS = 3 * HOUR_MS;
/** What the auditor says of a screen as a whole. */
const RATES: ReadonlySet<ViolationName> = new Set(["over-requesting", "low-proof-rate"]);

/** Asks the emulator's auditor, who must be content but for what a fault explains, and keeps its ledger short. */
export class Auditing {
  readonly #screens: ScreenNetwork;
  readonly #books: Books;

  constructor(screens: ScreenNetwork, books: Books) {
    this.#screens = screens;
    this.#books = books;
  }

  /** The auditor of the emulator must be content. About pace and proof rate it is shown only what could be shown. */
  check(): void {
    const { network } = this.#screens;
    const { ledger, oddPops } = network.state;
    const now = network.clock.now();
    const spots = [...ledger.spots.values()];
    const facts = { oddPops, now, amountOf: () => 1 };
    const found = [
      ...audit({ ...facts, spots }).filter(
        (one) => !RATES.has(one.name) && !this.#skippedOver(one) && !this.#overtaken(one),
      ),
      ...audit({ ...facts, spots: spots.map((spot) => this.#asShown(spot)), oddPops: [] }).filter(({ name }) =>
        RATES.has(name),
      ),
    ];
    for (const { name, requestId, kind, detail } of found) {
      const offers = [...this.#books.all()].filter((offer) => offer.requestId === requestId);
      this.#books.complain(`the auditor: ${name} of ${kind}: ${detail}: ${JSON.stringify(offers)}`);
    }
    for (const spot of spots) if (now - spot.issuedAt > AUDITED_MS) forget(network.state.ledger, spot);
    const fresh = oddPops.filter(({ at }) => now - at < AUDITED_MS + HOUR_MS);
    oddPops.splice(0, oddPops.length, ...fresh);
  }

  /** Proofs that wait together go out together, and one can overtake the other on its way. */
  #overtaken({ name, requestId }: Violation): boolean {
    const spot = requestId === null ? undefined : this.#screens.network.state.ledger.spots.get(requestId);
    if (name !== "wrong-order" || spot === undefined) return false;
    const sentAt = (item: LedgerSpot["news"]) =>
      (item === null ? undefined : this.#books.find(MEDIA_URL + item.popPath))?.firstTriedAt ?? 0;
    const [first, second] = spot.newsFirst ? [spot.news, spot.ad] : [spot.ad, spot.news];
    return sentAt(first) <= sentAt(second) && sentAt(second) < sentAt(first) + LONGEST_WAY_MS;
  }

  /** The auditor reckons with both items of a spot; where the first could not be shown, the second is over sooner. */
  #skippedOver({ name, at, requestId, kind }: Violation): boolean {
    const spot = requestId === null ? undefined : this.#screens.network.state.ledger.spots.get(requestId);
    if (name !== "early-pop" || spot === undefined || kind === null) return false;
    const [first, second] = spot.newsFirst ? [spot.news, spot.ad] : [spot.ad, spot.news];
    if (first === null || second === null || second !== spot[kind]) return false;
    const ended = this.#books.find(MEDIA_URL + first.popPath)?.end?.kind;
    const ownMs = second.shownAt - first.shownAt;
    return first.pops.length === 0 && ended !== "shown" && at - spot.issuedAt >= ownMs - LATE_PAINT_MS;
  }

  /** A spot without the items that a fault, named by the player, kept from the screen, or from being proved. */
  #asShown(spot: LedgerSpot): LedgerSpot {
    const item = (one: LedgerSpot["news"]) => {
      const offer = one === null ? undefined : this.#books.find(MEDIA_URL + one.popPath);
      if (offer === undefined || offer.end?.kind !== "shown") return null;
      return offer.spoilt && offer.state !== "delivered" ? null : one;
    };
    const [news, ad] = [item(spot.news), item(spot.ad)];
    const [first, second] = spot.newsFirst ? [spot.news, spot.ad] : [spot.ad, spot.news];
    // The ledger tells a length by the instants at which both can first have ended.
    const alone = (one: LedgerSpot["news"]) =>
      one === null || one !== second || first === null
        ? one
        : { ...one, shownAt: spot.issuedAt + one.shownAt - first.shownAt };
    return { ...spot, news: ad === null ? alone(news) : news, ad: news === null ? alone(ad) : ad };
  }
}

function forget({ spots, pops }: ScreenNetwork["network"]["state"]["ledger"], spot: LedgerSpot): void {
  spots.delete(spot.requestId);
  for (const item of [spot.news, spot.ad]) if (item !== null) pops.delete(item.popPath);
}
