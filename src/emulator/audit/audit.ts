import { type Instant, LONGEST_ITEM_MS } from "../../core/spot.ts";
import { screenKey } from "../inventory/inventory.ts";
import type { Network } from "../network.ts";
import { earliestShown, type LedgerSpot, type PopRecord, PROOF_WINDOW_MS } from "../spot/ledger.ts";
import {
  type Audited,
  type AuditFacts,
  about,
  firstTried,
  hindrancesByWhat,
  isProved,
  itemsOf,
  type RejectedPop,
  type ScreenName,
  type Violation,
} from "./evidence.ts";

/** A violation as it is told. */
export interface ViolationJson extends Pick<Violation, "kind" | "detail"> {
  readonly violation: Violation["name"];
  /** ISO 8601. */
  readonly at: string;
  /** With `screen_id`, what names a screen (A17). */
  readonly org_token: string | null;
  readonly screen_id: string | null;
  readonly requestId: string | null;
}

/** The most violations told of; the newest. */
const MOST_VIOLATIONS = 1_000;

/** The violations so far, oldest first. */
export function violations({ state, clock }: Network): ViolationJson[] {
  const found = audit({
    spots: [...state.ledger.spots.values()],
    rejectedPops: state.rejectedPops,
    hindrances: state.hindrances,
    now: clock.now(),
    amountOf: ({ orgToken, screenId }) =>
      state.inventory.organizations.get(orgToken)?.screens.get(screenId)?.amount ?? 1,
  });
  return found.map(({ name, at, orgToken, screenId, requestId, kind, detail }) => {
    const screen = { org_token: orgToken, screen_id: screenId };
    return { violation: name, at: new Date(at).toISOString(), ...screen, requestId, kind, detail };
  });
}

/** What a network would complain about, oldest first; none when the players were honest. */
export function audit({ spots, rejectedPops, hindrances, now, amountOf }: AuditFacts): Violation[] {
  const faults = { spoilt: spoiltPops(rejectedPops), struck: hindrancesByWhat(hindrances) };
  const found = [...alteredPops(rejectedPops)];
  for (const { screen, served } of byScreen(spots)) {
    const items = served.map((spot) => itemsOf(spot, faults));
    const amount = amountOf(screen);
    found.push(...items.flat().flatMap(popsOf), ...items.flatMap(wrongOrders));
    // Several players take turns with the spots of one screen.
    if (amount <= 1) found.push(...overlaps(items));
    found.push(...overRequests(items, served, amount), ...lowProofRate(screen, items, now));
  }
  return found.sort((one, other) => one.at - other.at).slice(-MOST_VIOLATIONS);
}

/** Proof-of-play URLs that no spot has (F10). */
function alteredPops(rejectedPops: readonly RejectedPop[]): Violation[] {
  const altered = rejectedPops.filter(({ kind }) => kind === "altered");
  return altered.map(({ at, path }) => {
    const detail = `no spot has the proof-of-play URL ${path.slice(0, 100)}`;
    return { name: "altered-pop", at, orgToken: null, screenId: null, requestId: null, kind: null, detail };
  });
}

/** When faults got in the way of proofs, by path and query of the URL. */
function spoiltPops(rejectedPops: readonly RejectedPop[]): ReadonlyMap<string, readonly Instant[]> {
  const spoilt = new Map<string, Instant[]>();
  for (const { kind, path, at } of rejectedPops) {
    if (kind === "spoilt") spoilt.set(path, [...(spoilt.get(path) ?? []), at]);
  }
  return spoilt;
}

function byScreen(
  spots: readonly LedgerSpot[],
): Iterable<{ readonly screen: ScreenName; readonly served: LedgerSpot[] }> {
  const screens = new Map<string, { readonly screen: ScreenName; readonly served: LedgerSpot[] }>();
  for (const spot of spots) {
    const key = screenKey(spot.orgToken, spot.screenId);
    const known = screens.get(key);
    if (known === undefined) screens.set(key, { screen: spot, served: [spot] });
    else known.served.push(spot);
  }
  return screens.values();
}

/** Calls that come within this time may have been sent in the other order: each takes its own way. */
const TOGETHER_MS = 1_000;

/** What is wrong with the calls of one item's proof-of-play URL, each for itself: too early, too late, too often. */
function popsOf(audited: Audited): Violation[] {
  const { pops } = audited.item;
  const duplicates = pops.filter(({ verdict }) => verdict === "duplicate");
  // Where a fault spoilt an answer, the player cannot know that its proof had been counted (G10).
  const excused = new Set(duplicates.slice(0, audited.spoiltAt.length));
  return pops.filter((pop) => !excused.has(pop)).flatMap((pop) => complaint(audited, pop) ?? []);
}

/**
 * A spot whose second item was proved before its first; `items` in the order in which they were to be shown. Proofs that
 * waited, and came together when both items were long over, say nothing about which was shown first.
 */
function wrongOrders([first, second]: readonly Audited[]): Violation[] {
  if (first === undefined || second === undefined || !isProved(first) || !isProved(second)) return [];
  const at = firstTried(second);
  const earlyMs = firstTried(first) - at;
  if (earlyMs <= 0 || (earlyMs < TOGETHER_MS && at - second.item.shownAt >= TOGETHER_MS)) return [];
  return [about(second, "wrong-order", at, `${earlyMs} ms before the ${first.kind}, which was to be shown first`)];
}

/**
 * Items that were proved before they can have ended, had their spots been shown one after another in the order in which
 * they were issued. Counts only what was proved, so that whatever was skipped or failed takes no time.
 */
function overlaps(spots: readonly (readonly Audited[])[]): Violation[] {
  const found: Violation[] = [];
  let freeFrom: Instant = Number.NEGATIVE_INFINITY;
  for (const items of spots) {
    const proved = items.filter(isProved);
    let end = Math.max(freeFrom, proved[0]?.spot.issuedAt ?? freeFrom);
    for (const audited of proved) {
      end += durationOf(audited, items);
      const at = firstTried(audited);
      if (at >= end) continue;
      // Too early for its own spot is another violation, and named so.
      if (at >= audited.item.shownAt) {
        found.push(
          about(audited, "overlap", at, `${end - at} ms before the spot before it and this can both have ended`),
        );
      }
      // What comes after is measured against what this player says it did, or one overlap would be many.
      end = at;
    }
    freeFrom = end;
  }
  return found;
}

/** The ledger has the instants at which the items can first have ended, one after the other. */
function durationOf({ item, spot }: Audited, items: readonly Audited[]): number {
  const before = items[items.findIndex((other) => other.item === item) - 1]?.item.shownAt ?? spot.issuedAt;
  return item.shownAt - before;
}

/** The item alone may have been shown too early, or it and the one before it. */
function earliestAt({ item, spot }: Audited, at: Instant): Instant {
  const alone = earliestShown(spot, item);
  return at < alone ? alone : item.shownAt;
}

function complaint(audited: Audited, { at, verdict }: PopRecord): Violation | null {
  const { spot } = audited;
  switch (verdict) {
    case "early":
      return about(
        audited,
        "early-pop",
        at,
        `${earliestAt(audited, at) - at} ms before it can have been shown in full`,
      );
    case "late":
      return about(audited, "late-pop", at, `${at - spot.issuedAt - PROOF_WINDOW_MS} ms after the hour`);
    case "duplicate":
      return about(audited, "duplicate-after-success", at, "had been proved and answered 200 before");
    case "counted":
    case "unknown":
      return null;
  }
}

const HOUR_MS = 3_600_000;
/** One spot is on the air when the hour begins, and one waits when it ends (G4). */
const SPOTS_IN_HAND = 2;
/** A spot without items is asked for again soon, but not at once (G6). */
const EMPTY_SLOT_MS = 1_000;
/** Fewer of the items that were served are proved only where something is wrong. */
const LOWEST_PROOF_RATE = 0.9;
/** How much more than an hour's slots may be asked for in an hour (G5), where as many items fail as may. */
const MOST_OF_AN_HOUR = 1.1 / LOWEST_PROOF_RATE;
/** With fewer items than this one failure would look like a habit. */
const FEWEST_ITEMS = 10;

/** Hours in which a screen asked for more spots than it can have shown; each is told of once. */
function overRequests(
  items: readonly (readonly Audited[])[],
  spots: readonly LedgerSpot[],
  amount: number,
): Violation[] {
  const slotsMs = items.map(slotMs);
  const found: Violation[] = [];
  let [oldest, askedMs, quietUntil] = [0, 0, Number.NEGATIVE_INFINITY];
  for (const [index, spot] of spots.entries()) {
    const lengthMs = slotsMs[index] ?? 0;
    askedMs += lengthMs;
    while ((spots[oldest]?.issuedAt ?? spot.issuedAt) <= spot.issuedAt - HOUR_MS) askedMs -= slotsMs[oldest++] ?? 0;
    const mostMs = Math.max(1, amount) * (HOUR_MS * MOST_OF_AN_HOUR + SPOTS_IN_HAND * lengthMs);
    if (askedMs <= mostMs || spot.issuedAt < quietUntil) continue;
    quietUntil = spot.issuedAt + HOUR_MS;
    const detail = `${index - oldest + 1} spots, ${Math.round(askedMs / 1000)} s to show, were asked for within an hour`;
    const { issuedAt: at, orgToken, screenId, requestId } = spot;
    found.push({ name: "over-requesting", at, orgToken, screenId, requestId, kind: null, detail });
  }
  return found;
}

/** A screen that leaves more than a tenth of its items unproved; only those whose hour is over count. */
function lowProofRate(
  { orgToken, screenId }: ScreenName,
  spots: readonly (readonly Audited[])[],
  now: Instant,
): Violation[] {
  const playable = spots.flatMap((items) => items.filter((audited) => wasShowable(audited, items)));
  const over = playable.filter(({ spot }) => now - spot.issuedAt > PROOF_WINDOW_MS);
  const proved = over.filter(isProved).length;
  const last = over.at(-1);
  if (last === undefined || over.length < FEWEST_ITEMS || proved / over.length >= LOWEST_PROOF_RATE) return [];
  const detail = `${proved} of ${over.length} items were proved within their hour`;
  const at = last.spot.issuedAt + PROOF_WINDOW_MS;
  return [{ name: "low-proof-rate", at, orgToken, screenId, requestId: null, kind: null, detail }];
}

function slotMs(items: readonly Audited[]): number {
  const playable = items.filter((audited) => wasShowable(audited, items));
  return playable.reduce((sum, audited) => sum + durationOf(audited, items), 0) || EMPTY_SLOT_MS;
}

/** What a fault kept from the screen took no time there and owes no proof; what was proved was shown all the same. */
function wasShowable(audited: Audited, items: readonly Audited[]): boolean {
  return isPlayable(audited, items) && (isProved(audited) || !audited.isExplained);
}

/** An item without a duration that makes sense is not to be played (F18). */
function isPlayable(audited: Audited, items: readonly Audited[]): boolean {
  const durationMs = durationOf(audited, items);
  return durationMs > 0 && durationMs <= LONGEST_ITEM_MS;
}
