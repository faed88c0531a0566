import type { Session } from "electron";
import { settledWithin } from "./face.ts";

/** A session in use by one deck. */
export interface Lease {
  readonly session: Session;
  /** Empties the session and gives it back. */
  release(): void;
}

/** What is done to the sessions of a pool. */
export interface Housekeeping<Guest> {
  /** Seals a session, once; its handlers serve whatever `guest` says is there at the time. */
  prepare(session: Session, guest: () => Guest | null): Promise<void>;
  /** Removes what a guest left behind, before the next one comes. Rejects where that fails. */
  empty(session: Session): Promise<unknown>;
}

interface Room<Guest> {
  readonly session: Session;
  guest: Guest | null;
}

/** Emptying takes milliseconds; a session that is not empty after this long is given up for a new one. */
const EMPTIED_WITHIN_MS = 5_000;

/**
 * A fixed few sessions, lent in turn, each to one deck at a time and emptied in between. Chromium never frees a
 * partition, so a new one per item would leak for ever; and two decks with a session each never share a process. Only a
 * session that cannot be emptied is replaced.
 */
export class SessionPool<Guest> {
  /** Those that were not opened yet. */
  readonly #names: string[];
  readonly #first: string;
  readonly #housekeeping: Housekeeping<Guest>;
  readonly #openSession: (partition: string) => Session;
  readonly #free: Room<Guest>[] = [];
  readonly #waiting: (() => void)[] = [];
  #replaced = 0;

  /** Each of `partitions` is opened and sealed when it is first needed. */
  constructor(
    partitions: readonly string[],
    housekeeping: Housekeeping<Guest>,
    openSession: (partition: string) => Session,
  ) {
    this.#openSession = openSession;
    this.#names = [...partitions];
    this.#first = partitions[0] ?? "";
    this.#housekeeping = housekeeping;
  }

  /** Lends a session that serves `guest`, as soon as one is free. */
  async lease(guest: Guest): Promise<Lease> {
    const room = await this.#room();
    room.guest = guest;
    let released = false;
    return {
      session: room.session,
      release: () => {
        if (released) return;
        released = true;
        room.guest = null;
        void this.#giveBack(room);
      },
    };
  }

  async #room(): Promise<Room<Guest>> {
    for (;;) {
      const free = this.#free.shift();
      if (free !== undefined) return free;
      const name = this.#names.shift();
      if (name !== undefined) return this.#open(name);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async #open(name: string): Promise<Room<Guest>> {
    const room: Room<Guest> = { session: this.#openSession(name), guest: null };
    try {
      await this.#housekeeping.prepare(room.session, () => room.guest);
      return room;
    } catch (error) {
      this.#replace();
      throw error;
    }
  }

  async #giveBack(room: Room<Guest>): Promise<void> {
    let isEmpty = false;
    const emptying = this.#housekeeping.empty(room.session).then(() => {
      isEmpty = true;
    });
    await settledWithin(emptying, EMPTIED_WITHIN_MS);
    if (isEmpty) this.#free.push(room);
    else return this.#replace();
    this.#waiting.shift()?.();
  }

  #replace(): void {
    this.#names.push(`${this.#first}-${++this.#replaced}`);
    this.#waiting.shift()?.();
  }
}
