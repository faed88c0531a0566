import type { VenueTree } from "../core/inventory/rules.ts";
import type { Instant } from "../core/spot.ts";
import type { Hindrance, RejectedPop } from "./audit/evidence.ts";
import { type Switches, switchesWith } from "./behaviour/switches.ts";
import type { VirtualClock } from "./clock.ts";
import { type ActiveFault, activeFaults } from "./faults/choose.ts";
import type { Journal } from "./http/journal.ts";
import { type Inventory, inventoryOf } from "./inventory/inventory.ts";
import { type Dice, newDice } from "./random.ts";
import { type Ledger, newLedger } from "./spot/ledger.ts";
import type { PlannedSpot } from "./spot/planned.ts";
import type { Creative } from "./world/creatives.ts";
import type { Places } from "./world/places.ts";
import type { World } from "./world/schema.ts";

/** Everything about a screen network that calls change: plain values, maps and lists that can be cloned as a whole. */
export interface NetworkState {
  /** The world that it began as. */
  readonly began: World;
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
  readonly rejectedPops: RejectedPop[];
  readonly hindrances: Hindrance[];
}

/** What a screen network is made of, which no call changes. */
export interface NetworkConfig {
  readonly world: World;
  readonly packaged: readonly Creative[];
  readonly seed: number;
  readonly places: Places;
  readonly tree: VenueTree;
  /** The most spots kept in the ledger; `MOST_SPOTS` when absent. */
  readonly keepSpots?: number | undefined;
}

/** A running screen network, as all its listeners see it. */
export interface Network extends NetworkConfig {
  readonly clock: VirtualClock;
  readonly journal: Journal;
  /** Without a trailing slash. */
  readonly mediaUrl: string;
  /** What its paths have before the contract's, where it is not the only network here. */
  readonly basePath?: string;
  state: NetworkState;
}

/** The state in which a world begins at an instant. */
export function stateOf(config: NetworkConfig, at: Instant): NetworkState {
  return {
    began: config.world,
    inventory: inventoryOf({ ...config, at }),
    dice: newDice(config.seed),
    switches: switchesWith(config.world.behaviour),
    planned: new Map(),
    turns: new Map(),
    ledger: newLedger(config.keepSpots),
    windows: new Map(),
    faults: activeFaults(config.world.faults, at),
    rejectedPops: [],
    hindrances: [],
  };
}

/** Back to the world, the time and the seed that it started with. */
export function reset(network: Network): void {
  network.clock.reset();
  network.state = stateOf(network, network.clock.now());
  network.journal.clear();
}
