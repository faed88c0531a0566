import type { Instant } from "../../core/spot.ts";
import type { ApprovalItem, Location, Screen } from "../../wire/inventory.ts";
import type { Creative } from "../world/creatives.ts";
import type { Places } from "../world/places.ts";
import type { World, WorldApproval, WorldCampaign, WorldNews } from "../world/schema.ts";

/** A creative approval request. Its creative is one of the network's by name, or an item of its own. */
export interface Approval extends Omit<WorldApproval, "creative"> {
  readonly creative: string | null;
  readonly item: ApprovalItem | null;
  /** When it was last decided about, ISO 8601; until then when it came in. */
  readonly updated_on: string;
}

/** What one organization owns; identifiers are unique within it (A17). */
export interface Organization {
  readonly orgToken: string;
  readonly locations: Map<string, Location>;
  readonly screens: Map<string, Screen>;
  readonly approvals: Map<string, Approval>;
  readonly campaigns: WorldCampaign[];
  /** Since when each location in review is there, the longest first. */
  readonly reviewSince: Map<string, Instant>;
  /** Since when each pending approval is there, the longest first. */
  readonly pendingSince: Map<string, Instant>;
}

/** Who and what there is in the network now: begins as the world says, and is changed by calls. Plain values. */
export interface Inventory {
  readonly organizations: Map<string, Organization>;
  readonly creatives: Map<string, Creative>;
  readonly news: WorldNews[];
}

/** What an inventory begins with; `at`: when that is. */
export interface Beginning {
  readonly world: World;
  readonly packaged: readonly Creative[];
  readonly places: Places;
  readonly at: Instant;
}

/** The inventory that a world begins with; changing it leaves the world as it is. */
export function inventoryOf({ world, packaged, places, at }: Beginning): Inventory {
  const { organizations, creatives, news } = structuredClone(world);
  return {
    organizations: byKey(
      organizations.map((organization) => organizationOf(organization, places, at)),
      "orgToken",
    ),
    creatives: byKey([...packaged, ...creatives], "name"),
    news,
  };
}

/** An organization that owns nothing yet. */
export function newOrganization(orgToken: string): Organization {
  return {
    orgToken,
    locations: new Map(),
    screens: new Map(),
    approvals: new Map(),
    campaigns: [],
    reviewSince: new Map(),
    pendingSince: new Map(),
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

function organizationOf(written: World["organizations"][number], places: Places, at: Instant): Organization {
  const locations = written.locations.map((location) => locationOf(location, places));
  const approvals = written.cars.map((car): Approval => ({ ...car, item: null, updated_on: car.created_on }));
  const inReview = locations.filter(({ status }) => status === "REVIEW");
  const pending = approvals.filter(({ status }) => status === "pending");
  return {
    orgToken: written.org_token,
    locations: byKey(locations, "location_id"),
    screens: byKey(written.screens, "screen_id"),
    approvals: byKey(approvals, "car_id"),
    campaigns: written.campaigns,
    reviewSince: new Map(inReview.map(({ location_id }) => [location_id, at])),
    pendingSince: new Map(pending.map(({ car_id }) => [car_id, at])),
  };
}

/** What a world does not say about a place is looked up (B15). */
function locationOf(written: World["organizations"][number]["locations"][number], places: Places): Location {
  const { timezone, country } = places(written.lat, written.long);
  return {
    ...written,
    available_for_ads: written.available_for_ads ?? written.status === "APPROVED",
    timezone: written.timezone ?? timezone,
    country: written.country ?? country,
  };
}

function byKey<K extends string, T extends Readonly<Record<K, string>>>(entries: readonly T[], key: K): Map<string, T> {
  return new Map(entries.map((entry) => [entry[key], entry]));
}

/** Names a screen among those of all organizations. */
export function screenKey(orgToken: string, screenId: string): string {
  return `${orgToken}/${screenId}`;
}
