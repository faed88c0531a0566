import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { Auditing } from "./auditing.ts";
import type { Books } from "./books.ts";
import type { SimulatedDisk } from "./disk.ts";
import type { Machine } from "./machine.ts";
import { CACHE_BYTES, MAX_ITEM_BYTES } from "./run.ts";
import type { ScreenNetwork } from "./screen-network.ts";
import type { SimulatedTime } from "./time.ts";
import type { Wire } from "./wire.ts";

export interface CheckedParts {
  readonly time: SimulatedTime;
  readonly books: Books;
  readonly disk: SimulatedDisk;
  readonly screens: ScreenNetwork;
  readonly machine: Machine;
  readonly wire: Wire;
}

/** Longer than a spot and any rest that a service can order here: a player that is up asks again within it. */
const LONGEST_PAUSE_MS = 15 * 60_000;

/** On the shelf, and on their way for the two items of a spot and a page's parts. */
const MOST_PARTIALS = 8 + 4;

/** What must hold of the player as a whole, beside what the books say of each item. */
export class Checks {
  readonly #parts: CheckedParts;
  readonly #auditing: Auditing;

  constructor(parts: CheckedParts) {
    this.#parts = parts;
    this.#auditing = new Auditing(parts.screens, parts.books);
  }

  afterStep(): void {
    const state = this.#parts.machine.run?.screen?.loop.state();
    if (state === undefined) return;
    const since = Math.max(this.#parts.wire.askedAt, this.#parts.machine.startedAt);
    if (this.#parts.time.now() - since > LONGEST_PAUSE_MS) this.#parts.books.complain("no spot was asked for any more");
    const waiting = new Set(
      state.queue.map(({ playout }) => playout.spotNumber).filter((number) => number > state.begunSpot),
    );
    if (waiting.size > 1) this.#parts.books.complain(`${waiting.size} spots wait for their turn`);
  }

  afterHour(): void {
    this.#parts.machine.check();
    this.#parts.books.sumUp();
    this.#auditing.check();
    this.#checkSizes();
  }

  #checkSizes(): void {
    const { books } = this.#parts;
    const size = this.#parts.machine.run?.player?.cache.size();
    if (size !== undefined && size.bytes > CACHE_BYTES)
      books.complain(`${size.bytes} bytes in a cache of ${CACHE_BYTES}`);
    const bytes = bytesIn(join(this.#parts.disk.folder, "media", "v1"));
    const most = CACHE_BYTES + MOST_PARTIALS * MAX_ITEM_BYTES;
    if (bytes > most) books.complain(`${bytes} bytes of media on the disk, ${most} at most`);
  }
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce(
    (sum, name) => sum + (statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
}
