import type { RuleResult } from "../../core/inventory/rule-result.ts";
import type { Instant } from "../../core/spot.ts";
import type { Network } from "../network.ts";
import { approveIn } from "./approvals.ts";
import type { Organization } from "./inventory.ts";
import { decideLocation } from "./locations-and-screens.ts";

/** What became of an approval by the operator, of a location or a CAR. */
export type Decision =
  | { readonly kind: "approved" }
  | { readonly kind: "unknown" }
  /** Several of that id wait. */
  | { readonly kind: "ambiguous" }
  /** It does not wait for a decision. */
  | { readonly kind: "refused"; readonly detail: string };

/** Something of an organization's. */
export interface Owned<T> {
  readonly owner: Organization;
  readonly value: T;
}

/** Everything of that id, of one organization or of all: several may use the same one (A17). */
export function ownedBy<T>(
  { state }: Network,
  things: (owner: Organization) => ReadonlyMap<string, T>,
  id: string,
  orgToken?: string,
): Owned<T>[] {
  return [...state.inventory.organizations.values()].flatMap((owner) => {
    const value = (orgToken ?? owner.orgToken) === owner.orgToken ? things(owner).get(id) : undefined;
    return value === undefined ? [] : [{ owner, value }];
  });
}

/** Approves the location or the CAR of that id (B19, E5). Of several it is the one that waits. */
export function approveCalled(network: Network, id: string, orgToken?: string): Decision {
  approveWhatIsDue(network);
  const called = [
    ...ownedBy(network, (owner) => owner.approvals, id, orgToken).map(({ owner, value }) => {
      return {
        isWaiting: value.status === "pending",
        approve: (): RuleResult<unknown> => approveIn(network, owner, value),
      };
    }),
    ...ownedBy(network, (owner) => owner.locations, id, orgToken).map(({ owner, value }) => {
      const decision = { kind: "approve", availableForAds: true } as const;
      const approve = (): RuleResult<unknown> => decideLocation(network, owner, value, decision);
      return { isWaiting: value.status === "REVIEW", approve };
    }),
  ];
  const [meant = called[0], another] = called.filter(({ isWaiting }) => isWaiting);
  if (meant === undefined) return { kind: "unknown" };
  if (another !== undefined) return { kind: "ambiguous" };
  const result = meant.approve();
  if (result.kind === "accepted") return { kind: "approved" };
  return { kind: "refused", detail: result.complaints.map(({ message }) => message).join("; ") };
}

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
