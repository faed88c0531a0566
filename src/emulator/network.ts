import type { Instant } from "../core/spot.ts";
import type { VenueTree } from "../core/venue-type.ts";
import type { OddPop } from "./audit/odd-pops.ts";
import { type Switches, switchesWith } from "./behaviour/switches.ts";
import type { VirtualClock } from "./clock.ts";
import { type ActiveFault, activeFault } from "./faults/choose.ts";
import type { Journal } from "./http/journal.ts";
import { type Dice, newDice } from "./random.ts";
import { type Ledger, newLedger } from "./spot/ledger.ts";
import type { PlannedSpot } from "./spot/planned.ts";
import type { Creative } from "./world/catalogue.ts";
import { type Inventory, inventoryOf } from "./world/inventory.ts";
import type { Places } from "./world/places.ts";
import type { World } from "./world/schema.ts";

/** Everything about a screen network that calls change: plain values, maps and lists that can be cloned as a whole. */
export interface NetworkState {
  readonly inventory: Inventory;
  readonly dice: Dice;
  switches: Switches;
  /** What each screen is to get next, oldest first; `screenKey` is the key here and below. */
  readonly planned: Map<string, PlannedSpot[]>;
  /** How many spots each screen has had. */
  readonly turns: Map<string, number>;
  readonly ledger: Ledger;
  /** Calls counted by each rate limit in its current window. */
  readonly windows: Map<string, { readonly since: number; calls: number }>;
  /** The faults in force, in order. */
  faults: ActiveFault[];
  /** For the auditor. */
  readonly oddPops: OddPop[];
}

/** What a screen network is made of, which no call changes. */
export interface Makings {
  readonly world: World;
  readonly packaged: readonly Creative[];
  readonly seed: number;
  readonly places: Places;
  readonly tree: VenueTree;
}

/** A running screen network, as all its listeners see it. */
export interface Network extends Makings {
  readonly clock: VirtualClock;
  readonly journal: Journal;
  /** Without a trailing slash. */
  readonly mediaUrl: string;
  state: NetworkState;
}

/** The state in which a world begins at an instant. */
export function stateOf(makings: Makings, at: Instant): NetworkState {
  return {
    inventory: inventoryOf({ ...makings, at }),
    dice: newDice(makings.seed),
    switches: switchesWith(makings.world.behaviour),
    planned: new Map(),
    turns: new Map(),
    ledger: newLedger(),
    windows: new Map(),
    faults: makings.world.faults.map(activeFault),
    oddPops: [],
  };
}

/** Back to the world, the time and the seed that it started with. */
export function reset(network: Network): void {
  network.clock.reset();
  network.state = stateOf(network, network.clock.now());
  network.journal.clear();
}

/** Names a screen among those of all organizations. */
export function screenKey(orgToken: string, screenId: string): string {
  return `${orgToken}/${screenId}`;
}
