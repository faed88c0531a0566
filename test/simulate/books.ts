import { SPOT_TRIES } from "../../src/client/spot-client.ts";
import { isBlocked, isStrike, type Strikes, struck } from "../../src/core/backoff.ts";
import { MOST_REQUESTS_A_MINUTE } from "../../src/core/loop/pace.ts";
import { LATE_PAINT_MS, SEEN_AFTER_MS } from "../../src/core/loop/state.ts";
import { DOUBT_MS, LAST_TRY_BEFORE_MS, PROOF_WINDOW_MS } from "../../src/core/proofs/proof.ts";
import { MOST_SENDS } from "../../src/core/proofs/proof-dispatch.ts";
import type { FailureReason, Instant, Item, Playout, PlayoutOutcome } from "../../src/core/spot.ts";
import { keyOf } from "../../src/player/media/media-cache.ts";
import type { Disk, Offer, RunFacts } from "./offer.ts";
import type { ProofRow } from "./proof-rows.ts";

/** The player writes answers down so long after they came at most (`WRITTEN_WITHIN_MS` of the courier), where it can. */
const WRITTEN_WITHIN_MS = 50;
/** What was shown in full is written down as owed so long after it left the screen at most (`UNCOVERED_MS` of its loop). */
const OWED_WITHIN_MS = 100;
/** The service tells its time in whole seconds, and late by its way here: by so much a deadline can be off after a boot. */
const CARRIED_MS = 2_500;
/** What is over is settled so soon after the hour. */
const SETTLED_WITHIN_MS = 65_000;
/** Longer than the auditor looks back. */
const KEPT_MS = 5 * PROOF_WINDOW_MS;

const MINUTE_MS = 60_000;
/** Each request for a spot is tried so often. */
const MOST_CALLS_A_MINUTE = MOST_REQUESTS_A_MINUTE * SPOT_TRIES;

/** Keeps the simulation's own account of every item and proof, and complains where the player's differs. */
export class Books {
  readonly complaints: string[] = [];
  readonly runs: RunFacts[] = [];
  readonly totals = {
    offered: 0,
    shown: 0,
    delivered: 0,
    refused: 0,
    expired: 0,
    lostWithDisk: 0,
    lostWithDamage: 0,
    repeated: 0,
  };
  readonly failed = new Map<string, number>();
  readonly #offers = new Map<string, Offer>();
  readonly #sending = new Set<string>();
  readonly #later: { readonly at: Instant; readonly check: () => void }[] = [];
  readonly #strikes = new Map<string, Strikes>();
  /** Calls for spots by one run since something was begun last. */
  readonly #asked: Instant[] = [];
  #askedBy = 0;
  /** The proof of the item that was taken last. */
  #turn = "";
  #lastPlace: { requestId: string; place: number } | null = null;
  disk: Disk = "sound";
  /** Told of an item that was shown in full, once the player says so. */
  onShown: (offer: Offer) => void = () => {};
  /** Told of a proof that may go out once more, since it cannot be known what became of it. */
  onExcused: (pop: string) => void = () => {};

  /** Told of a creative that failed so often that the player leaves it alone for a day, by its URL. */
  onBlocked: (url: string) => void = () => {};

  /** Told of an item that a crash, or a disk that takes nothing, kept from the screen. */
  onHindered: (pop: string) => void = () => {};

  /** What follows the last colon is a proof, of which all that is known is told. */
  complain(text: string): void {
    const offer = this.#offers.get(text.slice(text.indexOf("http")));
    this.complaints.push(offer === undefined ? text : `${text} ${JSON.stringify(offer)}`);
  }

  find(pop: string): Offer | undefined {
    return this.#offers.get(pop);
  }

  all(): IterableIterator<Offer> {
    return this.#offers.values();
  }

  offer(offer: Pick<Offer, "pop" | "requestId" | "kind" | "place" | "durationMs" | "askedAt">): void {
    this.totals.offered++;
    this.#offers.set(offer.pop, {
      ...offer,
      ...{
        malformed: false,
        paintedAt: null,
        clearedAt: null,
        broke: false,
        end: null,
        endedAt: 0,
        endedWithDisk: "sound",
        run: 0,
      },
      ...{
        trying: null,
        heard: null,
        doubt: null,
        hops: 0,
        tries: 0,
        firstTriedAt: Number.POSITIVE_INFINITY,
        spoilt: true,
        damaged: false,
        state: null,
      },
    });
  }

  /** An item's media is put on a deck. */
  cued({ item }: Playout, now: Instant): void {
    const offer = this.#offers.get(item.pop);
    if (offer === undefined) {
      this.complain(`cued what nobody offered: ${item.id}`);
      return;
    }
    const strikes = this.#strikes.get(keyOf(item));
    if (strikes !== undefined && isBlocked(strikes, now) && offer.askedAt > strikes.lastAt) {
      this.complain(`cued though it failed ${strikes.count} times: ${item.id}`);
    }
  }

  /** What the player remembers of creatives that failed is gone with its file. */
  forgetStrikes(): void {
    this.#strikes.clear();
  }

  /** No sequence of answers draws more calls than this in a minute in which nothing is begun (A14, G6, G7). */
  spotAsked(run: number, now: Instant): void {
    if (run !== this.#askedBy) this.#asked.length = 0;
    this.#askedBy = run;
    this.#asked.push(now);
    const first = this.#asked.at(-MOST_CALLS_A_MINUTE - 1);
    if (this.#asked.length > MOST_CALLS_A_MINUTE) this.#asked.shift();
    if (first !== undefined && now - first < MINUTE_MS)
      this.complain(`${MOST_CALLS_A_MINUTE + 1} calls for spots in ${now - first} ms, and nothing begun`);
  }

  painted({ item }: Playout, now: Instant): void {
    this.#asked.length = 0;
    const offer = this.#offers.get(item.pop);
    if (offer === undefined) {
      this.complain(`painted what nobody offered: ${item.id}`);
      return;
    }
    if (offer.paintedAt !== null) this.complain(`painted twice: ${item.pop}`);
    if (offer.malformed) this.complain(`painted a malformed item: ${item.pop}`);
    const last = this.#lastPlace;
    if (last?.requestId === offer.requestId && last.place > offer.place) this.complain(`out of order: ${item.pop}`);
    this.#lastPlace = { requestId: offer.requestId, place: offer.place };
    offer.paintedAt = now;
  }

  /** An item's turn has come, and with it the end of the one before, which covers it until it is painted. */
  taken({ item }: Playout): void {
    this.#turn = item.pop;
  }

  broke({ item }: Playout): void {
    const offer = this.#offers.get(item.pop);
    if (offer === undefined) return;
    const isOver = offer.paintedAt !== null && this.#turn !== item.pop;
    if (!isOver) offer.broke = true;
  }

  /** A deck is gone from sight. What a crash keeps from being written down until then is not owed (G2). */
  cleared({ item }: Playout, run: number, now: Instant): void {
    const offer = this.#offers.get(item.pop);
    if (offer === undefined || offer.paintedAt === null || offer.broke) return;
    offer.clearedAt = now;
    if (now - offer.paintedAt < offer.durationMs - SEEN_AFTER_MS) return;
    const at = now + OWED_WITHIN_MS;
    const check = () => {
      const isExcused = (this.runs[run]?.crashedAt ?? at) < at;
      if (!isExcused && offer.end?.kind !== "shown") this.complain(`shown in full and not owed: ${item.pop}`);
    };
    this.#later.push({ at, check });
  }

  /** A step of the world is over: what happened in it, in whatever order, must fit together now. */
  stepEnded(now: Instant): void {
    for (const { at, check } of this.#later.splice(0)) {
      if (at <= now) check();
      else this.#later.push({ at, check });
    }
  }

  /** What the player says became of a playout, its proof committed. */
  ended({ item }: Playout, end: PlayoutOutcome, run: number, now: Instant): void {
    const offer = this.#offers.get(item.pop);
    if (offer === undefined) {
      this.complain(`ended what nobody offered: ${item.pop}`);
      return;
    }
    if (offer.end !== null) this.complain(`ended twice: ${item.pop}`);
    Object.assign(offer, { end, run, endedAt: now, endedWithDisk: this.disk });
    if (end.kind === "failed") {
      this.#countFailed(item, end.reason, now);
      if (this.disk !== "sound") this.onHindered(item.pop);
      return;
    }
    this.#strikes.delete(keyOf(item));
    this.totals.shown++;
    const inSightMs = offer.paintedAt === null ? 0 : (offer.clearedAt ?? now) - offer.paintedAt;
    if (offer.broke) this.complain(`owed though its deck broke: ${item.pop}`);
    if (inSightMs < offer.durationMs - LATE_PAINT_MS) {
      this.complain(`owed after ${inSightMs} of ${offer.durationMs} ms: ${item.pop}`);
    }
    this.onShown(offer);
  }

  tryBegun(pop: string, run: number, now: Instant): void {
    const offer = this.#offers.get(pop);
    if (offer === undefined) {
      this.complain(`sent a proof that nobody gave out: ${pop}`);
      return;
    }
    offer.tries++;
    offer.firstTriedAt = Math.min(offer.firstTriedAt, now);
    offer.hops = 0;
    const check = () => {
      if (offer.end?.kind !== "shown") this.complain(`sent a proof of what was not shown in full: ${pop}`);
    };
    this.#later.push({ at: now, check });
    if (now >= offer.askedAt + PROOF_WINDOW_MS)
      this.complain(`sent ${now - offer.askedAt - PROOF_WINDOW_MS} ms after the hour: ${pop}`);
    if (offer.trying === run) this.complain(`sent twice at once: ${pop}`);
    if (offer.heard !== null) this.#judgeRepeat(offer, offer.heard);
    offer.trying = run;
    this.#sending.add(pop);
    if (this.#sending.size > MOST_SENDS) this.complain(`${this.#sending.size} proofs under way at once`);
  }

  /** How a try ended, as the player heard it; `status` null: without an answer. `spoilt`: a fault had a hand in it. */
  tryEnded(pop: string, run: number, status: number | null, spoilt: boolean, now: Instant): void {
    const offer = this.#offers.get(pop);
    if (offer === undefined) return;
    offer.trying = null;
    this.#sending.delete(pop);
    if (!spoilt) offer.spoilt = false;
    if (status === null) return;
    if (this.#isFinal(offer, status, run, now)) offer.heard = { run, at: now, status, disk: this.disk };
  }

  crashed(run: number, now: Instant): void {
    const facts = this.runs[run];
    if (facts !== undefined) facts.crashedAt = now;
    this.#sending.clear();
    for (const offer of this.#offers.values()) {
      if (offer.end === null) this.onHindered(offer.pop);
      if (offer.trying !== run) continue;
      offer.trying = null;
      this.onExcused(offer.pop);
    }
  }

  /** Damage struck the file where these proofs were kept: of them, and of nothing else, anything may be lost. */
  struck(pops: readonly string[]): void {
    for (const pop of pops) {
      const offer = this.#offers.get(pop);
      if (offer !== undefined) offer.damaged = true;
    }
  }

  /** The lowest row that still matters. */
  lowestRow(rows: readonly ProofRow[]): number {
    return Math.min(...rows.filter(({ pop }) => this.#offers.has(pop)).map(({ id }) => id), Number.MAX_SAFE_INTEGER);
  }

  /**
   * Compares with what the player has written down. `settledBy`: proofs whose hour was over by then must be settled, or
   * null where that cannot be asked of it. `replaced`: the file is another, in which only what is owed needs to be.
   */
  reconcile(rows: readonly ProofRow[], now: Instant, settledBy: Instant | null, replaced = false): void {
    const seen = new Set<string>();
    for (const row of rows) {
      if (seen.has(row.pop)) this.complain(`owed twice: ${row.pop}`);
      seen.add(row.pop);
      const offer = this.#offers.get(row.pop);
      if (offer === undefined) {
        if (row.state === "owed") this.complain(`owed though nobody offered it: ${row.pop}`);
      } else this.#compare(offer, row, now, settledBy);
    }
    for (const offer of this.#offers.values()) {
      const missing = offer.end?.kind === "shown" && !seen.has(offer.pop);
      const settled = offer.state !== null && offer.state !== "owed";
      if (missing && !(replaced && settled)) this.#missing(offer);
      else if (missing || isOver(offer, now)) this.#close(offer);
    }
  }

  /** Every item shown in full ends in one way, and no other ends so. */
  sumUp(): void {
    const { shown, delivered, refused, expired, lostWithDisk, lostWithDamage } = this.totals;
    const ended = delivered + refused + expired + lostWithDisk + lostWithDamage;
    const open = [...this.#offers.values()].filter(({ end }) => end?.kind === "shown").length;
    if (ended + open !== shown) this.complain(`${shown} items were shown in full, ${ended} ended, ${open} are open`);
  }

  #compare(offer: Offer, row: ProofRow, now: Instant, settledBy: Instant | null): void {
    const { pop } = row;
    const deadline = offer.askedAt + PROOF_WINDOW_MS;
    if (offer.end?.kind !== "shown") this.complain(`${row.state} though it was not shown in full: ${pop}`);
    const before = offer.state;
    if (before !== null && before !== "owed" && before !== row.state && !offer.damaged) {
      this.complain(`${before} became ${row.state}: ${pop}`);
    }
    offer.state = row.state;
    switch (row.state) {
      case "owed":
        if (settledBy !== null && deadline + SETTLED_WITHIN_MS < settledBy)
          this.complain(`still owed after the hour: ${pop}`);
        return;
      case "delivered":
        if (!isAccepted(offer.heard?.status)) this.complain(`delivered without an answer that says so: ${pop}`);
        return;
      case "refused":
        if (offer.heard === null || isAccepted(offer.heard.status))
          this.complain(`refused without such an answer: ${pop}`);
        return;
      case "expired":
        if (now < deadline - LAST_TRY_BEFORE_MS - CARRIED_MS) this.complain(`expired before the hour was over: ${pop}`);
        if (!offer.spoilt) this.complain(`expired though nothing was in its way: ${pop}`);
    }
  }

  /** Whether asking again would not change it (G8): what a firewall may have answered must come twice in a run. */
  #isFinal(offer: Offer, status: number, run: number, now: Instant): boolean {
    if (isAccepted(status) || status === 410) return true;
    if ([407, 408, 425, 429].includes(status) || status >= 500) return false;
    if (offer.doubt?.status !== status || offer.doubt.run !== run) offer.doubt = { status, run, at: now };
    return now - offer.doubt.at >= DOUBT_MS;
  }

  #missing(offer: Offer): void {
    if (offer.endedWithDisk === "refusing" && this.runs[offer.run]?.crashedAt !== null) {
      this.totals.lostWithDisk++;
    } else if (offer.damaged) {
      this.totals.lostWithDamage++;
    } else {
      if (this.runs[offer.run]?.crashedAt === null && offer.endedWithDisk === "refusing") return;
      this.complain(`shown in full, owed and lost: ${offer.pop}`);
    }
    this.#offers.delete(offer.pop);
  }

  /** A proof goes out again only where the player cannot have written down what it heard before. */
  #judgeRepeat(offer: Offer, { run, at, status, disk }: NonNullable<Offer["heard"]>): void {
    const crashedAt = this.runs[run]?.crashedAt ?? null;
    const unwritten = crashedAt !== null && (crashedAt - at <= WRITTEN_WITHIN_MS || disk === "refusing");
    this.totals.repeated++;
    if (!unwritten && !offer.damaged) {
      this.complain(`sent again after ${status} was heard: ${offer.pop}`);
      return;
    }
    offer.heard = null;
    this.onExcused(offer.pop);
  }

  #close(offer: Offer): void {
    if (offer.state !== null && offer.state !== "owed") this.totals[offer.state]++;
    this.#offers.delete(offer.pop);
  }

  #countFailed(item: Item, reason: FailureReason, now: Instant): void {
    if (isStrike(reason)) {
      const strikes = struck(this.#strikes.get(keyOf(item)) ?? null, "creative", now);
      this.#strikes.set(keyOf(item), strikes);
      if (isBlocked(strikes, now)) this.onBlocked(item.url);
    }
    this.failed.set(reason, (this.failed.get(reason) ?? 0) + 1);
  }
}

function isOver({ askedAt, state, end }: Offer, now: Instant): boolean {
  return now > askedAt + KEPT_MS && (end?.kind !== "shown" || (state !== null && state !== "owed"));
}

function isAccepted(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}
