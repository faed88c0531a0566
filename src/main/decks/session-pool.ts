import { type Session, session } from "electron";

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
  /** Removes what a guest left behind, before the next one comes. */
  empty(session: Session): Promise<unknown>;
}

interface Room<Guest> {
  readonly session: Session;
  guest: Guest | null;
}

/**
 * A fixed few sessions, lent in turn, each to one deck at a time and emptied in between. Chromium never frees a
 * partition, so a new one per item would leak for ever; and two decks with a session each never share a process.
 */
export class SessionPool<Guest> {
  readonly #unused: string[];
  readonly #housekeeping: Housekeeping<Guest>;
  readonly #free: Room<Guest>[] = [];
  readonly #waiting: ((room: Room<Guest>) => void)[] = [];

  /** `partitions` name in-memory sessions (no `persist:`); each is made and sealed when it is first needed. */
  constructor(partitions: readonly string[], housekeeping: Housekeeping<Guest>) {
    this.#unused = [...partitions];
    this.#housekeeping = housekeeping;
  }

  /** Lends a session that serves `guest`, as soon as one is free. */
  async lease(guest: Guest): Promise<Lease> {
    const room = this.#free.shift() ?? (await this.#another());
    room.guest = guest;
    let released = false;
    return {
      session: room.session,
      release: () => {
        if (released) return;
        released = true;
        room.guest = null;
        void this.#housekeeping.empty(room.session).finally(() => this.#giveBack(room));
      },
    };
  }

  async #another(): Promise<Room<Guest>> {
    const partition = this.#unused.shift();
    if (partition === undefined) return new Promise((resolve) => this.#waiting.push(resolve));
    const room: Room<Guest> = { session: session.fromPartition(partition, { cache: false }), guest: null };
    await this.#housekeeping.prepare(room.session, () => room.guest);
    return room;
  }

  #giveBack(room: Room<Guest>): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(room);
    else next(room);
  }
}
