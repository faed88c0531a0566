import {
  afterMove,
  approveLocation,
  createLocation,
  type LocationRules,
  placeScreen,
  type RuleResult,
  returnLocation,
  type ScreenRules,
  updateLocation,
} from "../../core/inventory/rules.ts";
import type {
  Location,
  LocationChange,
  ReceivedLocation,
  ReceivedScreen,
  Screen,
  ScreenChange,
} from "../../wire/inventory.ts";
import type { Network } from "../network.ts";
import { freeIdentifier } from "../random.ts";
import { MOST_ENTRIES } from "../world/schema.ts";
import type { Organization } from "./inventory.ts";

/** What becomes of something that is to be created: `taken` when its identifier is, `full` when there are too many. */
export type Creation<T> = RuleResult<T> | { readonly kind: "taken" } | { readonly kind: "full" };

/** Adds a location to an organization (contract, "Create a Location"; B1, B3). */
export function addLocation(network: Network, organization: Organization, sent: ReceivedLocation): Creation<Location> {
  const { location_id: chosen, ...fields } = sent;
  if (chosen !== undefined && organization.locations.has(chosen)) return { kind: "taken" };
  if (organization.locations.size >= MOST_ENTRIES) return { kind: "full" };
  const result = createLocation(blank(fields), locationRules(network));
  if (result.kind !== "accepted") return result;
  const location_id = chosen ?? freeIdentifier(network.state.dice, "loc", organization.locations);
  const location = placed(network, null, { ...result.value, location_id });
  storeLocation(network, organization, location);
  return { kind: "accepted", value: location };
}

/** Changes a location as far as the rules allow: altogether or not at all (contract, "Update a Location"). */
export function changeLocation(
  network: Network,
  organization: Organization,
  stored: Location,
  change: LocationChange,
): RuleResult<Location> {
  const result = updateLocation(stored, change, locationRules(network));
  if (result.kind !== "accepted" || result.value === stored) return result;
  const location = placed(network, stored, result.value);
  storeLocation(network, organization, location);
  return { kind: "accepted", value: location };
}

/** The operator's decision about a location in review (B9, B19). */
export function decideLocation(
  network: Network,
  organization: Organization,
  stored: Location,
  decision: { readonly kind: "approve"; readonly availableForAds: boolean } | { readonly kind: "return" },
): RuleResult<Location> {
  const result =
    decision.kind === "approve" ? approveLocation(stored, decision.availableForAds) : returnLocation(stored);
  if (result.kind === "accepted") storeLocation(network, organization, result.value);
  return result;
}

/** Stores a location, and notes since when it is in review. */
function storeLocation({ clock }: Network, organization: Organization, location: Location): void {
  const { locations, reviewSince } = organization;
  locations.set(location.location_id, location);
  if (location.status !== "REVIEW") reviewSince.delete(location.location_id);
  else if (!reviewSince.has(location.location_id)) reviewSince.set(location.location_id, clock.now());
}

function locationRules({ tree, state: { switches } }: Network): LocationRules {
  return { tree, allowBareReview: switches.reviewWithoutFields === "allow" };
}

/** A new location as the contract lists its fields; what was not sent is `null` (A11, B15). */
function blank(sent: Omit<ReceivedLocation, "location_id">): Location {
  return {
    location_id: "",
    title: sent.title,
    venue_type_id: sent.venue_type_id ?? null,
    lat: sent.lat ?? null,
    long: sent.long ?? null,
    opening_168: sent.opening_168 ?? null,
    visitors_7: sent.visitors_7 ?? null,
    status: "DRAFT",
    available_for_ads: false,
    archived: sent.archived,
    email: sent.email ?? null,
    phone: sent.phone ?? null,
    ...UNKNOWN_PLACE,
  };
}

const UNKNOWN_PLACE = { timezone: null, country: null, region: null, city: null, zip: null, address: null };

/** Where a position has changed, what was known about the place is replaced by what can be looked up (B15). */
function placed({ places }: Network, before: Location | null, location: Location): Location {
  if (before !== null && before.lat === location.lat && before.long === location.long) return location;
  return { ...location, ...UNKNOWN_PLACE, ...places(location.lat, location.long) };
}

/** Adds a screen to an organization (contract, "Create a Screen"; C1, C3, C4, C7). */
export function addScreen(network: Network, organization: Organization, sent: ReceivedScreen): Creation<Screen> {
  if (organization.screens.has(sent.screen_id)) return { kind: "taken" };
  if (organization.screens.size >= MOST_ENTRIES) return { kind: "full" };
  const screen = inOrder(sent);
  const result = placeScreen(screen, locationOf(organization, screen), screenRules(network));
  if (result.kind === "accepted") organization.screens.set(screen.screen_id, screen);
  return result;
}

/**
 * Changes a screen as far as the rules allow: altogether or not at all. A move sends the new location to review, and
 * the old one only behind a switch (contract, "Update a Screen"; C2, C5).
 */
export function changeScreen(
  network: Network,
  organization: Organization,
  stored: Screen,
  change: ScreenChange,
): RuleResult<Screen> {
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const screen: Screen = { ...stored, ...sent };
  const moved = screen.location_id !== stored.location_id;
  if (moved || screen.venue_type_id !== stored.venue_type_id) {
    const rules = screenRules(network);
    const onlyOnApproved = rules.onlyOnApproved && moved;
    const result = placeScreen(screen, locationOf(organization, screen), { ...rules, onlyOnApproved });
    if (result.kind !== "accepted") return result;
  }
  organization.screens.set(screen.screen_id, screen);
  if (moved) review(network, organization, network.state.switches.both ? [stored, screen] : [screen]);
  return { kind: "accepted", value: screen };
}

function review(network: Network, organization: Organization, screens: readonly Screen[]): void {
  for (const screen of screens) {
    const location = locationOf(organization, screen);
    if (location !== null) storeLocation(network, organization, afterMove(location));
  }
}

function locationOf({ locations }: Organization, { location_id }: Screen) {
  return locations.get(location_id) ?? null;
}

function screenRules({ tree, state: { switches } }: Network): ScreenRules {
  return { tree, onlyOnApproved: switches.screenOnUnapproved === "refuse" };
}

/** A new screen as the contract lists its fields; what was not sent is `null` (A11, C7). */
function inOrder(sent: ReceivedScreen): Screen {
  const { screen_id, title, venue_type_id, location_id, width, height, loop_duration, archived } = sent;
  const { available_for_ads, amount = null, imps_weekly = null } = sent;
  const place = { venue_type_id, location_id, width, height, loop_duration };
  return { screen_id, title, ...place, archived, available_for_ads, amount, imps_weekly };
}
