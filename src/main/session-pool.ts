import { type Session, session } from "electron";

/** A session in use by one deck. */
export interface Lease {
  readonly session: Session;
  /** Empties the session and gives it back. */
  release(): void;
}

/** Seals a session, once; its handlers serve whatever `guest` says is there at the time. */
export type Prepare<Guest> = (session: Session, guest: () => Guest | null) => Promise<void>;

interface Room<Guest> {
  readonly session: Session;
  guest: Guest | null;
}

/**
 * A fixed few sessions, lent in turn, each to one deck at a time and emptied in between. Chromium never frees a
 * partition, so a new one per item would leak for ever; and two decks with a session each never share a process.
 */
export class SessionPool<Guest> {
  readonly #free: Room<Guest>[];
  readonly #waiting: ((room: Room<Guest>) => void)[] = [];

  private constructor(rooms: Room<Guest>[]) {
    this.#free = rooms;
  }

  /** `partitions` name in-memory sessions (no `persist:`). */
  static async open<Guest>(partitions: readonly string[], prepare: Prepare<Guest>): Promise<SessionPool<Guest>> {
    const rooms = partitions.map((partition): Room<Guest> => {
      return { session: session.fromPartition(partition, { cache: false }), guest: null };
    });
    await Promise.all(rooms.map((room) => prepare(room.session, () => room.guest)));
    return new SessionPool(rooms);
  }

  /** Lends a session that serves `guest`, as soon as one is free. */
  async lease(guest: Guest): Promise<Lease> {
    const room = this.#free.shift() ?? (await new Promise<Room<Guest>>((resolve) => this.#waiting.push(resolve)));
    room.guest = guest;
    let released = false;
    return {
      session: room.session,
      release: () => {
        if (released) return;
        released = true;
        room.guest = null;
        void empty(room.session).finally(() => this.#giveBack(room));
      },
    };
  }

  #giveBack(room: Room<Guest>): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free.push(room);
    else next(room);
  }
}

async function empty(used: Session): Promise<void> {
  await Promise.allSettled([used.clearStorageData(), used.clearCache(), used.clearAuthCache()]);
}
