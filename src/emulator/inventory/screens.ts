import { afterMove } from "../../core/location.ts";
import type { Ruling } from "../../core/ruling.ts";
import { placeScreen, type ScreenRules } from "../../core/screen.ts";
import type { Screen } from "../../wire/inventory.ts";
import type { ScreenChange, ScreenCreation } from "../../wire/inventory-requests.ts";
import type { Network } from "../network.ts";
import type { Organization } from "../world/inventory.ts";
import { MOST_ENTRIES } from "../world/schema.ts";
import { type Creation, storeLocation } from "./locations.ts";

/** Adds a screen to an organization (contract, "Create a Screen"; C1, C3, C4, C7). */
export function addScreen(network: Network, organization: Organization, sent: ScreenCreation): Creation<Screen> {
  if (organization.screens.has(sent.screen_id)) return { kind: "taken" };
  if (organization.screens.size >= MOST_ENTRIES) return { kind: "full" };
  const screen = inOrder(sent);
  const ruling = placeScreen(screen, locationOf(organization, screen), rulesOf(network));
  if (ruling.kind === "ruled") organization.screens.set(screen.screen_id, screen);
  return ruling;
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
): Ruling<Screen> {
  const sent = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const screen: Screen = { ...stored, ...sent };
  const moved = screen.location_id !== stored.location_id;
  if (moved || screen.venue_type_id !== stored.venue_type_id) {
    const rules = rulesOf(network);
    const onlyOnApproved = rules.onlyOnApproved && moved;
    const ruling = placeScreen(screen, locationOf(organization, screen), { ...rules, onlyOnApproved });
    if (ruling.kind !== "ruled") return ruling;
  }
  organization.screens.set(screen.screen_id, screen);
  if (moved) review(network, organization, network.state.switches.both ? [stored, screen] : [screen]);
  return { kind: "ruled", value: screen };
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

function rulesOf({ tree, state: { switches } }: Network): ScreenRules {
  return { tree, onlyOnApproved: switches.screenOnUnapproved === "refuse" };
}

/** A new screen as the contract lists its fields; what was not sent is `null` (A11, C7). */
function inOrder(sent: ScreenCreation): Screen {
  const { screen_id, title, venue_type_id, location_id, width, height, loop_duration, archived } = sent;
  const { available_for_ads, amount = null, imps_weekly = null } = sent;
  const place = { venue_type_id, location_id, width, height, loop_duration };
  return { screen_id, title, ...place, archived, available_for_ads, amount, imps_weekly };
}
