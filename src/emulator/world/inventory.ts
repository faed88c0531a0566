import type { Location, Screen } from "../../wire/inventory.ts";
import type { Creative } from "./catalogue.ts";
import type { World, WorldApproval, WorldCampaign, WorldNews } from "./schema.ts";

/** What one organization owns; identifiers are unique within it (A17). */
export interface Organization {
  readonly orgToken: string;
  readonly locations: Map<string, Location>;
  readonly screens: Map<string, Screen>;
  readonly approvals: Map<string, WorldApproval>;
  readonly campaigns: WorldCampaign[];
}

/** Who and what there is in the network now: begins as the world says, and is changed by calls. Plain values. */
export interface Inventory {
  readonly organizations: Map<string, Organization>;
  readonly creatives: Map<string, Creative>;
  readonly news: WorldNews[];
}

/** The inventory that a world begins with; changing it leaves the world as it is. */
export function inventoryOf(world: World, packaged: readonly Creative[]): Inventory {
  const { organizations, creatives, news } = structuredClone(world);
  return {
    organizations: byKey(organizations.map(organizationOf), "orgToken"),
    creatives: byKey([...packaged, ...creatives], "name"),
    news,
  };
}

/** A screen with its owner. */
export interface OwnedScreen {
  readonly organization: Organization;
  readonly screen: Screen;
}

/** Every screen of that name: organizations may use the same one (A17). */
export function screensCalled(inventory: Inventory, screenId: string): OwnedScreen[] {
  return [...inventory.organizations.values()].flatMap((organization) => {
    const screen = organization.screens.get(screenId);
    return screen === undefined ? [] : [{ organization, screen }];
  });
}

function organizationOf({
  org_token,
  locations,
  screens,
  cars,
  campaigns,
}: World["organizations"][number]): Organization {
  const full = locations.map((location): Location => {
    return { ...location, available_for_ads: location.available_for_ads ?? location.status === "APPROVED" };
  });
  return {
    orgToken: org_token,
    locations: byKey(full, "location_id"),
    screens: byKey(screens, "screen_id"),
    approvals: byKey(cars, "car_id"),
    campaigns,
  };
}

function byKey<K extends string, T extends Readonly<Record<K, string>>>(entries: readonly T[], key: K): Map<string, T> {
  return new Map(entries.map((entry) => [entry[key], entry]));
}
