import type { VirtualClock } from "./clock.ts";
import type { Journal } from "./http/journal.ts";
import { type Dice, newDice } from "./random.ts";
import { type Ledger, newLedger } from "./spot/ledger.ts";
import type { PlannedSpot } from "./spot/planned.ts";
import type { Creative } from "./world/catalogue.ts";
import { type Inventory, inventoryOf } from "./world/inventory.ts";
import type { World } from "./world/schema.ts";

/** Everything about a screen network that calls change: plain values, maps and lists that can be cloned as a whole. */
export interface NetworkState {
  readonly inventory: Inventory;
  readonly dice: Dice;
  /** What each screen is to get next, oldest first; `screenKey` is the key here and below. */
  readonly planned: Map<string, PlannedSpot[]>;
  /** How many spots each screen has had. */
  readonly turns: Map<string, number>;
  readonly ledger: Ledger;
  /** Calls counted by each rate limit in its current window. */
  readonly windows: Map<string, { readonly since: number; calls: number }>;
}

/** A running screen network, as all its listeners see it. */
export interface Network {
  readonly world: World;
  readonly packaged: readonly Creative[];
  readonly seed: number;
  readonly clock: VirtualClock;
  readonly journal: Journal;
  /** Without a trailing slash. */
  readonly mediaUrl: string;
  state: NetworkState;
}

/** The state in which a world begins. */
export function stateOf(world: World, packaged: readonly Creative[], seed: number): NetworkState {
  return {
    inventory: inventoryOf(world, packaged),
    dice: newDice(seed),
    planned: new Map(),
    turns: new Map(),
    ledger: newLedger(),
    windows: new Map(),
  };
}

/** Back to the world, the time and the seed that it started with. */
export function reset(network: Network): void {
  network.state = stateOf(network.world, network.packaged, network.seed);
  network.clock.reset();
  network.journal.clear();
}

/** Names a screen among those of all organizations. */
export function screenKey(orgToken: string, screenId: string): string {
  return `${orgToken}/${screenId}`;
}
