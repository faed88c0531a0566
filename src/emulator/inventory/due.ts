import type { Instant } from "../../core/spot.ts";
import type { Network } from "../network.ts";
import type { Organization } from "../world/inventory.ts";
import { approveIn } from "./approvals.ts";
import { decideLocation } from "./locations.ts";

/**
 * Approves what has waited for as long as the world's `autoApprove` says, on the virtual clock, and returns a line for
 * each (B19, E5). To be called before anything looks at the inventory.
 */
export function approveWhatIsDue(network: Network): string[] {
  const { locationsMs, carsMs } = network.world.autoApprove;
  if (locationsMs === null && carsMs === null) return [];
  return [...network.state.inventory.organizations.values()].flatMap((organization) => [
    ...dueLocations(network, organization, locationsMs),
    ...dueApprovals(network, organization, carsMs),
  ]);
}

function dueLocations(network: Network, organization: Organization, delayMs: number | null): string[] {
  return due(organization.reviewSince, delayMs, network.clock.now()).flatMap((id) => {
    const location = organization.locations.get(id);
    if (location === undefined) return [];
    decideLocation(network, organization, location, { kind: "approve", availableForAds: true });
    return [`location ${id} approved after its time in review`];
  });
}

function dueApprovals(network: Network, organization: Organization, delayMs: number | null): string[] {
  return due(organization.pendingSince, delayMs, network.clock.now()).flatMap((id) => {
    const approval = organization.approvals.get(id);
    if (approval === undefined) return [];
    approveIn(network, organization, approval);
    return [`CAR ${id} approved after its time pending`];
  });
}

/** Those that wait the longest come first, so the search ends at the first that is not due. */
function due(since: ReadonlyMap<string, Instant>, delayMs: number | null, now: Instant): string[] {
  const ids: string[] = [];
  if (delayMs === null) return ids;
  for (const [id, at] of since) {
    if (now - at < delayMs) break;
    ids.push(id);
  }
  return ids;
}
