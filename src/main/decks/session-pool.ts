import type { Session } from "electron";
import { settledWithin } from "./deck-content.ts";

/** A session in use by one deck. */
export interface Lease {
  readonly session: Session;
  /** Empties the session and gives it back. */
  release(): void;
}

/** What is done to the sessions of a pool. */
export interface SessionReset<Owner> {
  /** Seals a session, once; its handlers serve whatever `owner` says is there at the time. */
  prepare(session: Session, owner: () => Owner | null): Promise<void>;
  /** Removes what an owner left behind, before the next one comes. Rejects where that fails. */
  empty(session: Session): Promise<unknown>;
}

interface SessionSlot<Owner> {
  readonly session: Session;
  owner: Owner | null;
}

/** Emptying takes milliseconds; a session that is not empty after this long is given up for a new one. */
const EMPTIED_WITHIN_MS = 5_000;

/**
 * A fixed few sessions, lent in turn, each to one deck at a time and emptied in between. Chromium never frees a
 * partition, so a new one per item would leak for ever; and two decks with a session each never share a process. Only a
 * session that cannot be emptied is replaced.
 */
export class SessionPool<Owner> {
  /** Those that were not opened yet. */
  readonly #names: string[];
  readonly #first: string;
  readonly #reset: SessionReset<Owner>;
  readonly #openSession: (partition: string) => Session;
  readonly #free: SessionSlot<Owner>[] = [];
  readonly #waiting: (() => void)[] = [];
  #replaced = 0;

  /** Each of `partitions` is opened and sealed when it is first needed. */
  constructor(partitions: readonly string[], reset: SessionReset<Owner>, openSession: (partition: string) => Session) {
    this.#openSession = openSession;
    this.#names = [...partitions];
    this.#first = partitions[0] ?? "";
    this.#reset = reset;
  }

  /** Lends a session that serves `owner`, as soon as one is free. */
  async lease(owner: Owner): Promise<Lease> {
    const slot = await this.#slot();
    slot.owner = owner;
    let released = false;
    return {
      session: slot.session,
      release: () => {
        if (released) return;
        released = true;
        slot.owner = null;
        void this.#giveBack(slot);
      },
    };
  }

  async #slot(): Promise<SessionSlot<Owner>> {
    for (;;) {
      const free = this.#free.shift();
      if (free !== undefined) return free;
      const name = this.#names.shift();
      if (name !== undefined) return this.#open(name);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async #open(name: string): Promise<SessionSlot<Owner>> {
    const slot: SessionSlot<Owner> = { session: this.#openSession(name), owner: null };
    try {
      await this.#reset.prepare(slot.session, () => slot.owner);
      return slot;
    } catch (error) {
      this.#replace();
      throw error;
    }
  }

  async #giveBack(slot: SessionSlot<Owner>): Promise<void> {
    let isEmpty = false;
    const emptying = this.#reset.empty(slot.session).then(() => {
      isEmpty = true;
    });
    await settledWithin(emptying, EMPTIED_WITHIN_MS);
    if (isEmpty) this.#free.push(slot);
    else return this.#replace();
    this.#waiting.shift()?.();
  }

  #replace(): void {
    this.#names.push(`${this.#first}-${++this.#replaced}`);
    this.#waiting.shift()?.();
  }
}
