import { deserialize, serialize } from "node:v8";
import type { ClockReading } from "../clock.ts";
import type { KeptCalls } from "../http/journal.ts";
import type { Network, NetworkState } from "../network.ts";

/** Everything about a network that calls and time change. */
interface Moment {
  readonly state: NetworkState;
  readonly clock: ClockReading;
  readonly journal: KeptCalls;
}

/** The network as it is now, in bytes. What its parts share, such as the ledger's maps, is kept shared. */
export function keptMoment({ state, clock, journal }: Network): Buffer {
  const moment: Moment = { state, clock: clock.reading(), journal: journal.kept() };
  return serialize(moment);
}

/** Makes the network what it was; the same bytes serve any number of times. A clock that ran goes on from then. */
export function bringBack(network: Network, bytes: Buffer): void {
  const { state, clock, journal } = deserialize(bytes) as Moment;
  network.state = state;
  network.clock.set(clock);
  network.journal.restore(journal);
}
